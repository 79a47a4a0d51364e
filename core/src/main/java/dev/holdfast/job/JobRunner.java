package dev.holdfast.job;

import dev.holdfast.internal.Require;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Runs exclusive jobs at intervals; for every instance, of which one at a time runs a job. There is
 * no leader: the first instance that is ready when a job is due runs it.
 *
 * <p>A job is due when its interval has passed since its last run began, on whichever instance, by
 * the clock of the database; a job that never ran is due at once. A run that takes longer than the
 * interval delays the next one. Each job has a daemon thread. A database that is away is waited
 * for, which is logged once: nothing but stopping ends it. Thread-safe.
 */
public final class JobRunner implements AutoCloseable {
  private static final Duration LONGEST_CLOSE = Duration.ofSeconds(10);
  private static final Duration LONGEST_GRACE = Duration.ofDays(7);
  private static final Duration AFTER_INTERRUPT = Duration.ofSeconds(1);

  private final CountDownLatch stopped = new CountDownLatch(1);
  private final List<Thread> threads = new ArrayList<>();

  private JobRunner(List<IntervalJob> jobs) {
    for (IntervalJob job : jobs) {
      Thread thread = new Thread(() -> job.runUntil(stopped), "holdfast-job-" + job.name());
      thread.setDaemon(true);
      threads.add(thread);
    }
  }

  /** What a runner shall run. For one thread. */
  public static final class Builder {
    private final List<IntervalJob> jobs = new ArrayList<>();

    Builder() {}

    /**
     * Runs this job at this interval, with a jitter of a twentieth of it, at most 5 s.
     *
     * @param interval 200 ms to 365 days, and longer than the minimum interval of the job
     * @throws dev.holdfast.InvalidArgumentException where the interval does not fit the job
     */
    public Builder every(Duration interval, Job job, Job.Action<?> action) {
      JobSettings.of(job).requireInterval(interval);
      Duration part = interval.dividedBy(20);
      Duration most = Duration.ofSeconds(5);
      return every(interval, part.compareTo(most) < 0 ? part : most, job, action);
    }

    /**
     * Runs this job at this interval, and up to {@code jitter} later by chance, so that not all
     * instances ask at the same moment.
     *
     * @param interval 200 ms to 365 days, and longer than the minimum interval of the job
     * @throws dev.holdfast.InvalidArgumentException where the interval does not fit the job
     */
    public Builder every(Duration interval, Duration jitter, Job job, Job.Action<?> action) {
      JobSettings.of(job).requireInterval(interval);
      Require.between(
          jitter, Duration.ZERO, interval.dividedBy(2), "the jitter, of up to half the interval,");
      Require.that(
          jobs.stream().noneMatch(other -> other.name().equals(job.name())),
          () -> "a runner must have each job once, had " + job + " twice");
      jobs.add(
          new IntervalJob((DefaultJob) job, Require.notNull(action, "action"), interval, jitter));
      return this;
    }

    /** Begins to run the jobs; stop it when the instance stops. */
    public JobRunner start() {
      Require.that(!jobs.isEmpty(), "a runner must have a job, had none; add one with every(…)");
      JobRunner runner = new JobRunner(jobs);
      runner.threads.forEach(Thread::start);
      return runner;
    }
  }

  /**
   * Begins no more runs, waits for those under way, and interrupts what is left after {@code
   * grace}. May be called again.
   *
   * @return whether all have ended without an interrupt
   */
  public boolean stop(Duration grace) {
    Require.between(grace, Duration.ZERO, LONGEST_GRACE, "grace");
    stopped.countDown();
    try {
      if (ended(grace)) {
        return true;
      }
      threads.forEach(Thread::interrupt);
      ended(AFTER_INTERRUPT);
    } catch (InterruptedException e) {
      threads.forEach(Thread::interrupt);
      Thread.currentThread().interrupt();
    }
    return false;
  }

  private boolean ended(Duration within) throws InterruptedException {
    long end = System.nanoTime() + within.toNanos();
    boolean all = true;
    for (Thread thread : threads) {
      TimeUnit.NANOSECONDS.timedJoin(thread, end - System.nanoTime());
      all &= !thread.isAlive();
    }
    return all;
  }

  /** Stops it, with a grace of 10 s. */
  @Override
  public void close() {
    stop(LONGEST_CLOSE);
  }
}
