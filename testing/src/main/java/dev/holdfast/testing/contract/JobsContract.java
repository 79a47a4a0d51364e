package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.InvalidArgumentException;
import dev.holdfast.LeaseLostException;
import dev.holdfast.job.Job;
import dev.holdfast.job.JobRecord;
import dev.holdfast.job.JobRunResult;
import dev.holdfast.job.Jobs;
import dev.holdfast.lease.spi.LeaseStore;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.transaction.TransactionStateException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Jobs that run on one instance at a time, on every database and over every store of leases. */
public abstract class JobsContract extends JobTests {
  protected JobsContract(TestDatabase database) {
    this(database, JobTests::store);
  }

  /**
   * @param stores opens the store of leases for the schema of a test; each call stands for another
   *     process
   */
  protected JobsContract(TestDatabase database, Function<TestSchema, LeaseStore> stores) {
    super(database, stores);
  }

  @Test
  void aJobRunsAndItsRunIsKept() {
    long[] token = new long[1];

    ran(jobs.job("report", LONG, SHORT).run(run -> token[0] = run.token()));

    JobRecord last = elsewhere.find("report").orElseThrow();
    assertThat(last.status()).isEqualTo(JobRecord.Status.SUCCEEDED);
    assertThat(last.instanceName()).startsWith("here#");
    assertThat(last.token()).isEqualTo(token[0]);
    assertThat(last.duration())
        .hasValueSatisfying(time -> assertThat(time).isGreaterThanOrEqualTo(Duration.ZERO));
    assertThat(last.nextRunAfter()).isEqualTo(last.startedAt().plus(SHORT));
    assertThat(elsewhere.find("Report")).isEmpty();
    assertThat(elsewhere.list()).containsExactly(last);
    assertThat(leases.list("job/", null, 10)).as("the lease is released").isEmpty();
  }

  @Test
  void ofTwoInstancesOneRuns() {
    Job there = elsewhere.job("report", LONG, SHORT);

    ran(
        jobs.job("report", LONG, SHORT)
            .run(
                run -> {
                  assertThat(there.run(other -> throwing("two at once")))
                      .isInstanceOfSatisfying(
                          JobRunResult.AlreadyRunning.class,
                          busy ->
                              assertThat(busy.instanceName().orElseThrow()).startsWith("here#"));
                  JobRecord running = elsewhere.find("report").orElseThrow();
                  assertThat(running.status()).isEqualTo(JobRecord.Status.RUNNING);
                  assertThat(running.endedAt()).isNull();
                  // also when only the lease keeps it away
                  anHourPasses();
                  assertThat(there.run(other -> throwing("two at once")))
                      .isInstanceOf(JobRunResult.AlreadyRunning.class);
                  ran(elsewhere.job("report ", LONG, SHORT).run(other -> {}));
                }));
  }

  @Test
  void ofManyThatComeAtOnceOneRuns() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    CountDownLatch go = new CountDownLatch(1);
    Thread[] threads = new Thread[6];
    for (int i = 0; i < threads.length; i++) {
      Job job = (i % 2 == 0 ? jobs : elsewhere).job("report", LONG, LONG);
      threads[i] =
          new Thread(
              () -> {
                try {
                  go.await();
                } catch (InterruptedException e) {
                  return;
                }
                job.run(run -> runs.incrementAndGet());
              });
      threads[i].start();
    }
    go.countDown();
    for (Thread thread : threads) {
      thread.join();
    }

    assertThat(runs).hasValue(1);
  }

  @Test
  void minIntervalUsesDatabaseClock() {
    ran(jobs.job("report", LONG, LONG).run(run -> {}));
    Job there = elsewhere.job("report", LONG, SHORT);

    assertThat(there.run(run -> throwing("too soon")))
        .isInstanceOfSatisfying(
            JobRunResult.TooSoon.class,
            soon -> assertThat(soon.remaining()).isPositive().isLessThanOrEqualTo(LONG));
    anHourPasses();

    ran(there.run(run -> {}));
  }

  @Test
  void minIntervalMayExceedLease() {
    Job job = jobs.job("report", MOMENT, LONG);
    Job there = elsewhere.job("report", MOMENT, LONG);

    assertThatThrownBy(
            () ->
                job.run(run -> LeaseTests.await("it must be lost", () -> run.remaining().isZero())))
        .isInstanceOf(LeaseLostException.class);

    assertThat(there.run(run -> throwing("too soon"))).isInstanceOf(JobRunResult.TooSoon.class);
    anHourPasses();
    ran(there.run(run -> {}));
  }

  @Test
  void staleReaderDoesNotRun() {
    Jobs late = late(() -> ran(elsewhere.job("report", LONG, LONG).run(run -> {})), () -> {});

    assertThat(late.job("report", LONG, LONG).run(run -> throwing("too soon")))
        .isInstanceOf(JobRunResult.TooSoon.class);
    assertThat(jobs.find("report").orElseThrow().instanceName()).startsWith("there#");
  }

  @Test
  void keepsIntervalAfterLostLease() {
    assertThatThrownBy(
            () -> jobs.job("report", LONG, LONG).run(run -> leases.forceRelease(lease("report"))))
        .isInstanceOf(LeaseLostException.class);

    assertThat(jobs.find("report").orElseThrow().status()).isEqualTo(JobRecord.Status.LOST);
    assertThat(elsewhere.job("report", LONG, LONG).run(run -> {}))
        .isInstanceOf(JobRunResult.TooSoon.class);
  }

  @Test
  void aFailureIsThrownAndKept() {
    Job job = jobs.job("report", LONG, SHORT);
    String odd = "no \0 paper \uD800" + "!".repeat(2000);

    assertThatThrownBy(() -> job.run(run -> throwing(odd))).hasMessage(odd);

    JobRecord last = jobs.find("report").orElseThrow();
    assertThat(last.status()).isEqualTo(JobRecord.Status.FAILED);
    assertThat(last.error()).contains("IllegalStateException: no ", " paper ").endsWith("…");
    assertThat(last.endedAt()).isNotNull();
    awaitRan(elsewhere.job("report", LONG, SHORT));
    assertThat(jobs.find("report").orElseThrow().error()).isNull();
  }

  @Test
  void interruptsAndRecordsLostRun() {
    Job job = jobs.job("report", MOMENT, SHORT);

    String why = "job 'report' was interrupted: it ran longer than its maxDuration of " + MOMENT;
    assertThatThrownBy(() -> job.run(run -> new CountDownLatch(1).await()))
        .isInstanceOf(LeaseLostException.class)
        .hasMessageStartingWith(why)
        .hasCauseInstanceOf(InterruptedException.class);

    assertThat(jobs.find("report").orElseThrow().error()).isEqualTo(why);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
    assertThat(jobs.find("report").orElseThrow().status()).isEqualTo(JobRecord.Status.LOST);
    awaitRan(elsewhere.job("report", LONG, SHORT));
  }

  @Test
  void doesNotInterruptAfterLostRun() {
    Job job = jobs.job("report", MOMENT, SHORT);

    assertThatThrownBy(
            () ->
                job.run(
                    run ->
                        LeaseTests.await(
                            "it must be told", () -> Thread.currentThread().isInterrupted())))
        .isInstanceOf(LeaseLostException.class);

    assertThat(Thread.interrupted()).isFalse();
  }

  @Test
  void staleRunCannotOverwriteRecord() {
    Job job = jobs.job("report", MOMENT, SHORT);
    JobRecord[] newer = new JobRecord[1];

    assertThatThrownBy(
            () ->
                job.run(
                    run -> {
                      LeaseTests.await("it must be lost", () -> run.remaining().isZero());
                      awaitRan(elsewhere.job("report", LONG, SHORT));
                      newer[0] = jobs.find("report").orElseThrow();
                      throwing("stale");
                    }))
        .hasMessage("stale");

    assertThat(jobs.find("report")).hasValue(newer[0]);
    assertThat(newer[0].instanceName()).startsWith("there#");
    assertThat(newer[0].status()).isEqualTo(JobRecord.Status.SUCCEEDED);
  }

  @Test
  void keepsForeignInterrupt() {
    ran(jobs.job("report", LONG, SHORT).run(run -> Thread.currentThread().interrupt()));

    assertThat(Thread.interrupted()).isTrue();
    assertThat(jobs.find("report").orElseThrow().status()).isEqualTo(JobRecord.Status.SUCCEEDED);
  }

  @Test
  void unfinishedRunIsLostAfterMaxDuration() {
    ran(
        jobs.job("report", LONG, SHORT)
            .run(
                run -> {
                  anHourPasses();
                  assertThat(jobs.find("report").orElseThrow().status())
                      .isEqualTo(JobRecord.Status.LOST);
                }));
  }

  /** ShedLock#27, #1574: it remembered which rows exist, and never made a deleted one again. */
  @Test
  void runsAfterRecordWasDeleted() {
    Job job = jobs.job("report", LONG, LONG);
    ran(job.run(run -> {}));
    schema.execute("delete from holdfast_job");

    ran(job.run(run -> {}));
    schema.execute("delete from holdfast_job");
    assertThatThrownBy(() -> job.run(run -> schema.execute("delete from holdfast_job")))
        .as("nobody knows whether a later run was in between")
        .isInstanceOf(LeaseLostException.class);
    ran(elsewhere.job("report", LONG, LONG).run(run -> {}));
  }

  @Test
  void aJobInsideATransactionIsRefused() {
    Job job = Holdfast.create(schema.dataSource()).jobs().job("report", LONG, SHORT);

    assertThatThrownBy(() -> transactions.run(tx -> job.run(run -> {})))
        .isInstanceOf(TransactionStateException.class)
        .hasMessageContaining("Cannot run the job 'report': a transaction is open on this thread")
        .hasMessageNotContainingAny("insideTransactions", "job/");
  }

  @Test
  void distinguishesNames() {
    String longest = "ж".repeat(Jobs.MAX_NAME_LENGTH);
    ran(jobs.job(longest, LONG, LONG).run(run -> {}));
    ran(jobs.job("😀 é", LONG, LONG).run(run -> {}));
    ran(jobs.job("😀 É", LONG, LONG).run(run -> {}));

    assertThat(jobs.list())
        .extracting(JobRecord::name)
        .containsExactlyInAnyOrder(longest, "😀 é", "😀 É");
    assertThatThrownBy(() -> jobs.job(longest + "x", LONG, LONG))
        .isInstanceOf(InvalidArgumentException.class);
    assertThatThrownBy(() -> jobs.job(" ", LONG, LONG))
        .isInstanceOf(InvalidArgumentException.class);
  }
}
