package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.InvalidArgumentException;
import dev.holdfast.lease.ExclusiveJob;
import dev.holdfast.lease.ExclusiveJobs;
import dev.holdfast.lease.JobOutcome;
import dev.holdfast.lease.JobRecord;
import dev.holdfast.lease.JobResult;
import dev.holdfast.lease.LeaseInTransactionException;
import dev.holdfast.lease.LeaseLostException;
import dev.holdfast.lease.LeaseStore;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Jobs that run on one instance at a time, on every database and over every store of leases. */
public abstract class ExclusiveJobsContract extends JobTests {
  protected ExclusiveJobsContract(TestDatabase database) {
    this(database, JobTests::store);
  }

  /**
   * @param stores opens the store of leases for the schema of a test; each call stands for another
   *     process
   */
  protected ExclusiveJobsContract(TestDatabase database, Function<TestSchema, LeaseStore> stores) {
    super(database, stores);
  }

  @Test
  void aJobRunsAndItsRunIsKept() {
    long[] token = new long[1];

    ran(jobs.exclusive("report", LONG, SHORT).run(run -> token[0] = run.token()));

    JobRecord last = elsewhere.find("report").orElseThrow();
    assertThat(last.outcome()).isEqualTo(JobOutcome.SUCCEEDED);
    assertThat(last.who()).startsWith("here#");
    assertThat(last.token()).isEqualTo(token[0]);
    assertThat(last.duration())
        .hasValueSatisfying(time -> assertThat(time).isGreaterThanOrEqualTo(Duration.ZERO));
    assertThat(last.notBefore()).isEqualTo(last.started().plus(SHORT));
    assertThat(elsewhere.find("Report")).isEmpty();
    assertThat(elsewhere.list()).containsExactly(last);
    assertThat(leases.list("job/", null, 10)).as("the lease is released").isEmpty();
  }

  @Test
  void ofTwoInstancesOneRuns() {
    ExclusiveJob there = elsewhere.exclusive("report", LONG, SHORT);

    ran(
        jobs.exclusive("report", LONG, SHORT)
            .run(
                run -> {
                  assertThat(there.run(other -> throwing("two at once")))
                      .isInstanceOfSatisfying(
                          JobResult.Busy.class, busy -> assertThat(busy.who()).startsWith("here#"));
                  JobRecord running = elsewhere.find("report").orElseThrow();
                  assertThat(running.outcome()).isEqualTo(JobOutcome.RUNNING);
                  assertThat(running.ended()).isNull();
                  // also when only the lease keeps it away
                  anHourPasses();
                  assertThat(there.run(other -> throwing("two at once")))
                      .isInstanceOf(JobResult.Busy.class);
                  ran(elsewhere.exclusive("report ", LONG, SHORT).run(other -> {}));
                }));
  }

  @Test
  void ofManyThatComeAtOnceOneRuns() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    CountDownLatch go = new CountDownLatch(1);
    Thread[] threads = new Thread[6];
    for (int i = 0; i < threads.length; i++) {
      ExclusiveJob job = (i % 2 == 0 ? jobs : elsewhere).exclusive("report", LONG, LONG);
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
  void theNameStaysTakenAfterTheEndByTheClockOfTheDatabase() {
    ran(jobs.exclusive("report", LONG, LONG).run(run -> {}));
    ExclusiveJob there = elsewhere.exclusive("report", LONG, SHORT);

    assertThat(there.run(run -> throwing("too soon")))
        .isInstanceOfSatisfying(
            JobResult.TooSoon.class,
            soon -> assertThat(soon.remaining()).isPositive().isLessThanOrEqualTo(LONG));
    anHourPasses();

    ran(there.run(run -> {}));
  }

  @Test
  void theNameMayStayTakenForLongerThanALeaseLasts() {
    ExclusiveJob job = jobs.exclusive("report", MOMENT, LONG);
    ExclusiveJob there = elsewhere.exclusive("report", MOMENT, LONG);

    assertThatThrownBy(
            () ->
                job.run(run -> LeaseTests.await("it must be lost", () -> run.remaining().isZero())))
        .isInstanceOf(LeaseLostException.class);

    assertThat(there.run(run -> throwing("too soon"))).isInstanceOf(JobResult.TooSoon.class);
    anHourPasses();
    ran(there.run(run -> {}));
  }

  @Test
  void whoLookedBeforeAnotherRanDoesNotRun() {
    ExclusiveJobs late =
        late(() -> ran(elsewhere.exclusive("report", LONG, LONG).run(run -> {})), () -> {});

    assertThat(late.exclusive("report", LONG, LONG).run(run -> throwing("too soon")))
        .isInstanceOf(JobResult.TooSoon.class);
    assertThat(jobs.find("report").orElseThrow().who()).startsWith("there#");
  }

  @Test
  void theNameStaysTakenAlsoWhenTheLeaseWasTakenAwayOrForgotten() {
    assertThatThrownBy(
            () ->
                jobs.exclusive("report", LONG, LONG)
                    .run(run -> leases.forceRelease(lease("report"))))
        .isInstanceOf(LeaseLostException.class);

    assertThat(jobs.find("report").orElseThrow().outcome()).isEqualTo(JobOutcome.LOST);
    assertThat(elsewhere.exclusive("report", LONG, LONG).run(run -> {}))
        .isInstanceOf(JobResult.TooSoon.class);
  }

  @Test
  void aFailureIsThrownAndKept() {
    ExclusiveJob job = jobs.exclusive("report", LONG, SHORT);
    String odd = "no \0 paper \uD800" + "!".repeat(2000);

    assertThatThrownBy(() -> job.run(run -> throwing(odd))).hasMessage(odd);

    JobRecord last = jobs.find("report").orElseThrow();
    assertThat(last.outcome()).isEqualTo(JobOutcome.FAILED);
    assertThat(last.failure()).contains("IllegalStateException: no ", " paper ").endsWith("…");
    assertThat(last.ended()).isNotNull();
    awaitRan(elsewhere.exclusive("report", LONG, SHORT));
    assertThat(jobs.find("report").orElseThrow().failure()).isNull();
  }

  @Test
  void aRunThatLosesItsLeaseIsInterruptedAndKeptAsLost() {
    ExclusiveJob job = jobs.exclusive("report", MOMENT, SHORT);

    String why = "job 'report' was interrupted: it ran longer than its atMost of " + MOMENT;
    assertThatThrownBy(() -> job.run(run -> new CountDownLatch(1).await()))
        .isInstanceOf(LeaseLostException.class)
        .hasMessageStartingWith(why)
        .hasCauseInstanceOf(InterruptedException.class);

    assertThat(jobs.find("report").orElseThrow().failure()).isEqualTo(why);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
    assertThat(jobs.find("report").orElseThrow().outcome()).isEqualTo(JobOutcome.LOST);
    awaitRan(elsewhere.exclusive("report", LONG, SHORT));
  }

  @Test
  void aThreadIsNotInterruptedAnyMoreWhenTheLostRunHasEnded() {
    ExclusiveJob job = jobs.exclusive("report", MOMENT, SHORT);

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
  void aRunThatIsStaleDoesNotOverwriteTheRecordOfANewerOne() {
    ExclusiveJob job = jobs.exclusive("report", MOMENT, SHORT);
    JobRecord[] newer = new JobRecord[1];

    assertThatThrownBy(
            () ->
                job.run(
                    run -> {
                      LeaseTests.await("it must be lost", () -> run.remaining().isZero());
                      awaitRan(elsewhere.exclusive("report", LONG, SHORT));
                      newer[0] = jobs.find("report").orElseThrow();
                      throwing("stale");
                    }))
        .hasMessage("stale");

    assertThat(jobs.find("report")).hasValue(newer[0]);
    assertThat(newer[0].who()).startsWith("there#");
    assertThat(newer[0].outcome()).isEqualTo(JobOutcome.SUCCEEDED);
  }

  @Test
  void anInterruptOfSomebodyElseStays() {
    ran(jobs.exclusive("report", LONG, SHORT).run(run -> Thread.currentThread().interrupt()));

    assertThat(Thread.interrupted()).isTrue();
    assertThat(jobs.find("report").orElseThrow().outcome()).isEqualTo(JobOutcome.SUCCEEDED);
  }

  @Test
  void aRunThatNeverEndedIsLostWhenItsTimeIsOver() {
    ran(
        jobs.exclusive("report", LONG, SHORT)
            .run(
                run -> {
                  anHourPasses();
                  assertThat(jobs.find("report").orElseThrow().outcome())
                      .isEqualTo(JobOutcome.LOST);
                }));
  }

  /** ShedLock#27, #1574: it remembered which rows exist, and never made a deleted one again. */
  @Test
  void aJobWhoseRecordWasDeletedRunsAgain() {
    ExclusiveJob job = jobs.exclusive("report", LONG, LONG);
    ran(job.run(run -> {}));
    schema.execute("delete from holdfast_job");

    ran(job.run(run -> {}));
    schema.execute("delete from holdfast_job");
    assertThatThrownBy(() -> job.run(run -> schema.execute("delete from holdfast_job")))
        .as("nobody knows whether a later run was in between")
        .isInstanceOf(LeaseLostException.class);
    ran(elsewhere.exclusive("report", LONG, LONG).run(run -> {}));
  }

  @Test
  void aJobInsideATransactionIsRefused() {
    ExclusiveJob job = Holdfast.create(schema.dataSource()).jobs().exclusive("report", LONG, SHORT);

    assertThatThrownBy(() -> transactions.run(tx -> job.run(run -> {})))
        .isInstanceOf(LeaseInTransactionException.class)
        .hasMessageContaining("the job 'report' must be run before the transaction begins")
        .hasMessageNotContainingAny("insideTransactions", "job/");
  }

  @Test
  void namesOfAnyKindAreToldApart() {
    String longest = "ж".repeat(ExclusiveJobs.LONGEST_NAME);
    ran(jobs.exclusive(longest, LONG, LONG).run(run -> {}));
    ran(jobs.exclusive("😀 é", LONG, LONG).run(run -> {}));
    ran(jobs.exclusive("😀 É", LONG, LONG).run(run -> {}));

    assertThat(jobs.list())
        .extracting(JobRecord::name)
        .containsExactlyInAnyOrder(longest, "😀 é", "😀 É");
    assertThatThrownBy(() -> jobs.exclusive(longest + "x", LONG, LONG))
        .isInstanceOf(InvalidArgumentException.class);
    assertThatThrownBy(() -> jobs.exclusive(" ", LONG, LONG))
        .isInstanceOf(InvalidArgumentException.class);
  }
}
