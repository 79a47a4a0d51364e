package dev.holdfast.testing.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.lease.ExclusiveJob;
import dev.holdfast.lease.ExclusiveJobs;
import dev.holdfast.lease.ExclusiveRunner;
import dev.holdfast.lease.JobOutcome;
import dev.holdfast.lease.JobRecord;
import dev.holdfast.lease.JobResult;
import dev.holdfast.lease.LeaseStore;
import dev.holdfast.lease.Leases;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The snippets of the guide to exclusive jobs, run. */
class ExclusiveJobsGuideIT {
  private final TestSchema schema = TestDatabase.postgreSql().newSchema();
  private final Holdfast holdfast = Holdfast.create(schema.dataSource(4));
  private final Reports reports = new Reports();

  private static final class Reports {
    final AtomicLong lastToken = new AtomicLong();

    void make(long token) {
      lastToken.set(token);
    }
  }

  @BeforeEach
  void migrate() {
    Holdfast.create(schema.dataSource()).migrations().migrate();
  }

  @AfterEach
  void close() {
    schema.close();
  }

  @Test
  void aJobRunsOnceAndIsKept() {
    ExclusiveJob report =
        holdfast.jobs().exclusive("nightly-report", Duration.ofMinutes(30), Duration.ofMinutes(5));
    JobResult result = report.run(run -> reports.make(run.token()));
    assertThat(result).isInstanceOf(JobResult.Ran.class);

    Optional<JobRecord> last = holdfast.jobs().find("nightly-report");
    List<JobRecord> all = holdfast.jobs().list();
    assertThat(all).containsExactly(last.orElseThrow());
    assertThat(last.orElseThrow().outcome()).isEqualTo(JobOutcome.SUCCEEDED);
    assertThat(last.orElseThrow().token()).isEqualTo(reports.lastToken.get());

    LeaseStore redisLeaseStore =
        LeaseStore.in(schema.dataSource(), holdfast.dialect(), null, 1); // as another store would
    ExclusiveJobs jobs = holdfast.jobs().leasedBy(Leases.on(redisLeaseStore));
    assertThat(
            jobs.exclusive("nightly-report", Duration.ofMinutes(30), Duration.ofMinutes(5))
                .run(run -> {}))
        .isInstanceOf(JobResult.TooSoon.class);
  }

  @Test
  void aRunnerRunsIt() {
    ExclusiveJob report =
        holdfast.jobs().exclusive("nightly-report", Duration.ofMinutes(30), Duration.ofMinutes(5));
    ExclusiveRunner runner =
        holdfast
            .jobs()
            .runner()
            .every(Duration.ofMinutes(10), report, run -> reports.make(run.token()))
            .start();
    try (runner) {
      long end = System.nanoTime() + Duration.ofMinutes(1).toNanos();
      while (reports.lastToken.get() == 0) {
        assertThat(System.nanoTime()).isLessThan(end);
        Thread.onSpinWait();
      }
    }
  }
}
