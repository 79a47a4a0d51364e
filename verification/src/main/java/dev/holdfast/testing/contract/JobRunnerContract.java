package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.BackgroundService;
import dev.holdfast.job.JobRecord;
import dev.holdfast.job.JobRunResult;
import dev.holdfast.job.Jobs;
import dev.holdfast.lease.spi.LeaseStore;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Runners of exclusive jobs, on every database and over every store of leases. */
public abstract class JobRunnerContract extends JobTests {
  protected JobRunnerContract(TestDatabase database) {
    this(database, JobTests::store);
  }

  /**
   * @param stores opens the store of leases for the schema of a test; each call stands for another
   *     process
   */
  protected JobRunnerContract(TestDatabase database, Function<TestSchema, LeaseStore> stores) {
    super(database, stores);
  }

  @Test
  void staleReaderDoesNotRun() throws Exception {
    CountDownLatch released = new CountDownLatch(1);
    AtomicInteger runs = new AtomicInteger();
    Jobs late =
        late(
            () -> {
              ran(elsewhere.job("report", LONG, SHORT).run(run -> {}));
              long end = System.nanoTime() + SHORT.toNanos();
              LeaseTests.await("minInterval must pass", () -> System.nanoTime() - end > 0);
            },
            released::countDown);

    try (BackgroundService runner =
        late.runner()
            .every(LONG, late.job("report", LONG, SHORT), run -> runs.incrementAndGet())
            .start()) {
      released.await();
      assertThat(runner.stop(LONG)).isTrue();
    }

    assertThat(runs).hasValue(0);
  }

  @Test
  void runsOncePerIntervalOnManyInstances() {
    AtomicInteger runs = new AtomicInteger();
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Duration interval = MOMENT;
    long before = System.nanoTime();
    try (BackgroundService one = runner(jobs, interval, runs, inside, most);
        BackgroundService two = runner(elsewhere, interval, runs, inside, most)) {
      LeaseTests.await("it must run again", () -> runs.get() >= 4);
      assertThat(one).isNotSameAs(two);
    }
    long took = System.nanoTime() - before;

    assertThat(most).hasValue(1);
    assertThat((runs.get() - 1) * interval.toNanos()).isLessThan(took);
    int ended = runs.get();
    anHourPasses();
    assertThat(jobs.job("report", LONG, SHORT).run(run -> {}))
        .isInstanceOf(JobRunResult.Executed.class);
    assertThat(runs).as("a runner that was stopped runs nothing").hasValue(ended);
  }

  private static BackgroundService runner(
      Jobs jobs, Duration interval, AtomicInteger runs, AtomicInteger inside, AtomicInteger most) {
    return jobs.runner()
        .every(
            interval,
            Duration.ofMillis(20),
            jobs.job("report", LONG, SHORT),
            run -> {
              most.accumulateAndGet(inside.incrementAndGet(), Math::max);
              inside.decrementAndGet();
              if (runs.incrementAndGet() == 2) {
                throwing("a failure does not end the runner");
              }
            })
        .start();
  }

  @Test
  void aRunnerGoesOnAfterARunThatWasLost() {
    AtomicInteger runs = new AtomicInteger();
    try (BackgroundService runner =
        jobs.runner()
            .every(
                MOMENT,
                jobs.job("report", MOMENT, SHORT),
                run -> {
                  if (runs.incrementAndGet() == 1) {
                    new CountDownLatch(1).await();
                  }
                })
            .start()) {
      LeaseTests.await("it must run again", () -> runs.get() > 1);
      assertThat(runner.stop(LONG)).isTrue();
    }
  }

  @Test
  void stopWaitsThenInterrupts() throws Exception {
    CountDownLatch began = new CountDownLatch(2);
    CountDownLatch mayEnd = new CountDownLatch(1);
    BackgroundService runner =
        jobs.runner()
            .every(
                LONG,
                jobs.job("patient", LONG, SHORT),
                run -> {
                  began.countDown();
                  mayEnd.await();
                })
            .every(
                LONG,
                jobs.job("stubborn", LONG, SHORT),
                run -> {
                  began.countDown();
                  new CountDownLatch(1).await();
                })
            .start();
    began.await();
    mayEnd.countDown();

    assertThat(runner.stop(MOMENT)).isFalse();

    assertThat(jobs.find("patient").orElseThrow().status()).isEqualTo(JobRecord.Status.SUCCEEDED);
    assertThat(jobs.find("stubborn").orElseThrow().status()).isEqualTo(JobRecord.Status.FAILED);
    assertThat(leases.list("job/", null, 10)).isEmpty();
    assertThat(runner.stop(MOMENT)).isTrue();
  }
}
