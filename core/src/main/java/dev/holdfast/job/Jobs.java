package dev.holdfast.job;

import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.lease.Leases;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Exclusive jobs: jobs that run on one instance at a time, however many instances are deployed.
 *
 * <pre>{@code
 * Job report = holdfast.jobs().job("nightly-report", ofMinutes(30), ofMinutes(5));
 * JobRunResult result = report.run(context -> reports.make(context.token()));
 * }</pre>
 *
 * <p>A lease decides which instance runs. The table {@code holdfast_job} has the start and the end
 * of the last run, also if the leases are in another store. Immutable and thread-safe.
 */
public interface Jobs {
  /** The maximum length of the name of a job, in UTF-16 characters. */
  int MAX_NAME_LENGTH = 200;

  /**
   * Jobs with these leases and the table of a database; {@code Holdfast.jobs()} is the usual way.
   *
   * @param schema the schema of Holdfast's tables; null for the current one
   */
  static Jobs create(
      DataSource dataSource, Dialect dialect, @Nullable String schema, Leases leases) {
    return DefaultJobs.create(dataSource, dialect, schema, leases);
  }

  /**
   * Describes a job. Any scheduler may call {@link Job#run} on each instance.
   *
   * @param name 1 to 200 characters of any script; the lease of the job is named {@code job/} and
   *     this name
   * @param maxDuration after this time a run loses its lease, its thread is interrupted, and
   *     another run may start. Must be longer than the longest run; 100 ms to 7 days
   * @param minInterval the minimum time between the starts of two runs, also if the first one has
   *     ended or crashed. Must be longer than the clocks of the instances differ, and shorter than
   *     the interval of the scheduler, for example half of it; 100 ms to 365 days
   * @throws dev.holdfast.InvalidArgumentException if the name or a time is out of range
   */
  Job job(String name, Duration maxDuration, Duration minInterval);

  /** Builds a runner that runs jobs at intervals; nothing runs before it is started. */
  JobRunner.Builder runner();

  /** Returns the last run of a job; empty if it never ran. */
  Optional<JobRecord> find(String name);

  /** Returns the last runs of all jobs in the order of their names, at most 1000. */
  List<JobRecord> list();
}
