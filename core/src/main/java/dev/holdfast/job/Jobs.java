package dev.holdfast.job;

import dev.holdfast.BackgroundService;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

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
  RunnerBuilder runner();

  /** Returns the last run of a job; empty if it never ran. */
  Optional<JobRecord> find(String name);

  /** Returns the last runs of all jobs in the order of their names, at most 1000. */
  List<JobRecord> list();

  /**
   * Builds a runner, for programs without a scheduler. Start one on each instance: they agree
   * through the database. A job is due when its interval has passed since its last run started, by
   * the clock of the database; a job that never ran is due at once. A run that takes longer than
   * the interval delays the next one. Each job has a daemon thread. The runner waits until the
   * database responds, and logs an outage once.
   *
   * <p>{@link BackgroundService#stop} starts no more runs, waits for active ones, and interrupts
   * those that are left after its timeout; {@link BackgroundService#close} waits 10 s. Issues in
   * the health of the runner: {@code job-start-failed} while a job cannot be started, and {@code
   * job-failed} from a failed run to the next successful one. Not thread-safe.
   */
  interface RunnerBuilder {
    /**
     * Runs this job at this interval, with a jitter of a twentieth of it, at most 5 s.
     *
     * @param interval 200 ms to 365 days, and longer than the minimum interval of the job
     * @throws dev.holdfast.InvalidArgumentException if the interval does not fit the job
     */
    RunnerBuilder every(Duration interval, Job job, Job.Action<?> action);

    /**
     * Runs this job at this interval, with a random delay of up to {@code jitter}, so that not all
     * instances ask at the same moment.
     *
     * @param interval 200 ms to 365 days, and longer than the minimum interval of the job
     * @throws dev.holdfast.InvalidArgumentException if the interval does not fit the job
     */
    RunnerBuilder every(Duration interval, Duration jitter, Job job, Job.Action<?> action);

    /** Builds the runner; {@link BackgroundService#start} starts it. */
    BackgroundService build();

    /** Builds and starts the runner; stop it when the instance stops. */
    BackgroundService start();
  }
}
