package dev.holdfast.internal.job;

import dev.holdfast.internal.Require;
import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.job.Job;
import dev.holdfast.job.JobRecord;
import dev.holdfast.job.Jobs;
import dev.holdfast.lease.Leases;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Jobs over their table and their leases. */
public final class DefaultJobs implements Jobs {
  private final JobStore store;
  private final Leases leases;

  private DefaultJobs(JobStore store, Leases leases) {
    this.store = store;
    this.leases = leases;
  }

  /**
   * The jobs of a database; their leases may be in another store.
   *
   * @param schema the schema of Holdfast's tables; null for the current one
   */
  public static Jobs create(
      DataSource dataSource, Dialect dialect, @Nullable String schema, Leases leases) {
    Require.notNull(dataSource, "dataSource");
    Require.notNull(leases, "leases");
    return new DefaultJobs(JobStore.create(dataSource, dialect, schema), leases);
  }

  @Override
  public Job job(String name, Duration maxDuration, Duration minInterval) {
    return new DefaultJob(store, leases, JobSettings.of(name, maxDuration, minInterval));
  }

  @Override
  public RunnerBuilder runner() {
    return new JobRunner.Builder();
  }

  @Override
  public Optional<JobRecord> find(String name) {
    return store.find(JobSettings.key(name)).map(JobStore.Row::record);
  }

  @Override
  public List<JobRecord> list() {
    return store.list();
  }
}
