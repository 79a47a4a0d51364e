package dev.holdfast.job;

import dev.holdfast.internal.Require;
import dev.holdfast.internal.job.JobStore;
import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.lease.Leases;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Jobs over their table and their leases. */
final class DefaultJobs implements Jobs {
  private final JobStore store;
  private final Leases leases;

  private DefaultJobs(JobStore store, Leases leases) {
    this.store = store;
    this.leases = leases;
  }

  static Jobs create(
      DataSource dataSource, Dialect dialect, @Nullable String schema, Leases leases) {
    Require.notNull(dataSource, "dataSource");
    Require.notNull(leases, "leases");
    String prefix = schema == null ? "" : dialect.quote(schema) + ".";
    return new DefaultJobs(JobStore.create(dataSource, dialect, prefix), leases);
  }

  @Override
  public Job job(String name, Duration maxDuration, Duration minInterval) {
    return new DefaultJob(store, leases, JobSettings.of(name, maxDuration, minInterval));
  }

  @Override
  public JobRunner.Builder runner() {
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
