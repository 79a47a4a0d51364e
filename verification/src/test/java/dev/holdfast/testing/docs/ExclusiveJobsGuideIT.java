package dev.holdfast.testing.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.BackgroundService;
import dev.holdfast.Holdfast;
import dev.holdfast.internal.lease.store.SqlLeaseStore;
import dev.holdfast.job.Job;
import dev.holdfast.job.JobRecord;
import dev.holdfast.job.JobRunResult;
import dev.holdfast.job.Jobs;
import dev.holdfast.lease.spi.LeaseStore;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
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
    Job report =
        holdfast.jobs().job("nightly-report", Duration.ofMinutes(30), Duration.ofMinutes(5));
    JobRunResult result = report.run(context -> reports.make(context.token()));
    assertThat(result).isInstanceOf(JobRunResult.Executed.class);

    Optional<JobRecord> last = holdfast.jobs().find("nightly-report");
    List<JobRecord> all = holdfast.jobs().list();
    assertThat(all).containsExactly(last.orElseThrow());
    assertThat(last.orElseThrow().status()).isEqualTo(JobRecord.Status.SUCCEEDED);
    assertThat(last.orElseThrow().token()).isEqualTo(reports.lastToken.get());

    DataSource dataSource = schema.dataSource();
    LeaseStore redisLeaseStore =
        SqlLeaseStore.create(dataSource, holdfast.dialect(), null, 1); // as another store would
    Jobs jobs = Holdfast.builder(dataSource).leaseStore(redisLeaseStore).build().jobs();
    assertThat(
            jobs.job("nightly-report", Duration.ofMinutes(30), Duration.ofMinutes(5))
                .run(context -> {}))
        .isInstanceOf(JobRunResult.TooSoon.class);
  }

  @Test
  void aRunnerRunsIt() {
    Job report =
        holdfast.jobs().job("nightly-report", Duration.ofMinutes(30), Duration.ofMinutes(5));
    BackgroundService runner =
        holdfast
            .jobs()
            .runner()
            .every(Duration.ofMinutes(10), report, context -> reports.make(context.token()))
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
