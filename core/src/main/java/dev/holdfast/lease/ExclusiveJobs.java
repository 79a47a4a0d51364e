package dev.holdfast.lease;

import dev.holdfast.internal.Require;
import dev.holdfast.lease.internal.JobTable;
import dev.holdfast.sql.Dialect;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Jobs that run on one instance at a time, however many are deployed.
 *
 * <pre>{@code
 * ExclusiveJob report = holdfast.jobs().exclusive("nightly-report", ofMinutes(30), ofMinutes(5));
 * JobResult result = report.run(run -> reports.make(run.token()));
 * }</pre>
 *
 * <p>Who runs is decided by a lease; when the last run began and how it ended is kept in the table
 * {@code holdfast_job}, also where the leases are in another store. Immutable and thread-safe.
 */
public final class ExclusiveJobs {
  /** The longest name of a job, in UTF-16 characters. */
  public static final int LONGEST_NAME = 200;

  private final JobTable table;
  private final Leases leases;

  private ExclusiveJobs(JobTable table, Leases leases) {
    this.table = table;
    this.leases = leases;
  }

  /**
   * Over leases and the table of jobs in a database.
   *
   * @param schema the name of the schema in which Holdfast's tables are; null for the current one
   */
  public static ExclusiveJobs in(
      DataSource dataSource, Dialect dialect, @Nullable String schema, Leases leases) {
    Require.notNull(dataSource, "dataSource");
    String prefix = schema == null ? "" : dialect.quote(schema) + ".";
    return new ExclusiveJobs(JobTable.in(dataSource, dialect, prefix), plain(leases));
  }

  /**
   * With these leases, such as those on Redis; all instances must say the same. How they are
   * renewed, and in which order they wait, does not matter.
   */
  public ExclusiveJobs leasedBy(Leases other) {
    return new ExclusiveJobs(table, plain(other));
  }

  private static Leases plain(Leases leases) {
    return Require.notNull(leases, "leases").plain();
  }

  /**
   * A job that is run by whoever calls {@link ExclusiveJob#run}, such as a scheduler on each
   * instance.
   *
   * @param name 1 to 200 characters of any script; its lease is named {@code job/} and this
   * @param atMost after this time the run loses its lease, its thread is interrupted, and another
   *     may begin: longer than the longest run; from 100 ms to 7 days
   * @param atLeast no other run begins for so long after the beginning of this one, also where it
   *     has ended or died: longer than the clocks of the instances differ, and shorter than the
   *     interval of the scheduler, such as half of it, however short a run is; from 100 ms to 365
   *     days
   * @throws dev.holdfast.InvalidArgumentException where a name or a time is refused
   */
  public ExclusiveJob exclusive(String name, Duration atMost, Duration atLeast) {
    return new ExclusiveJob(table, leases, JobSettings.of(name, atMost, atLeast));
  }

  /** A runner for jobs of this kind; nothing runs before it is started. */
  public ExclusiveRunner.Builder runner() {
    return new ExclusiveRunner.Builder();
  }

  /** The last run of a job; nothing where it never ran. */
  public Optional<JobRecord> find(String name) {
    return table.find(JobSettings.key(name)).map(JobTable.Row::record);
  }

  /** The last runs of all jobs in the order of their names, at most 1000. */
  public List<JobRecord> list() {
    return table.list();
  }
}
