package dev.holdfast.internal.job;

import dev.holdfast.BackgroundService;
import dev.holdfast.Health;
import dev.holdfast.internal.Require;
import dev.holdfast.job.Job;
import dev.holdfast.job.Jobs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs exclusive jobs at intervals, each in a thread of its own. There is no leader: the first
 * instance that is ready when a job is due runs it. Thread-safe.
 */
final class JobRunner implements BackgroundService {
  private static final Duration SHUTDOWN_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration MAX_TIMEOUT = Duration.ofDays(7);
  private static final Duration MAX_JITTER = Duration.ofSeconds(5);
  private static final Duration AFTER_INTERRUPT = Duration.ofSeconds(1);

  private final List<IntervalJob> jobs;
  private volatile @Nullable Run run;
  private boolean closed;

  private JobRunner(List<IntervalJob> jobs) {
    this.jobs = List.copyOf(jobs);
  }

  /** One start of the runner. */
  private static final class Run {
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final List<Thread> threads = new ArrayList<>();

    Run(List<IntervalJob> jobs) {
      for (IntervalJob job : jobs) {
        Thread thread = new Thread(() -> job.runUntil(stopped), "holdfast-job-" + job.name());
        thread.setDaemon(true);
        threads.add(thread);
      }
    }

    boolean isOn() {
      return stopped.getCount() > 0;
    }

    boolean stop(Duration timeout) {
      stopped.countDown();
      try {
        if (ended(timeout)) {
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
  }

  /** The jobs of a runner that is not built yet. */
  static final class Builder implements Jobs.RunnerBuilder {
    private final List<IntervalJob> jobs = new ArrayList<>();

    @Override
    public Builder every(Duration interval, Job job, Job.Action<?> action) {
      JobSettings.of(job).requireInterval(interval);
      Duration part = interval.dividedBy(20);
      return every(interval, part.compareTo(MAX_JITTER) < 0 ? part : MAX_JITTER, job, action);
    }

    @Override
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

    @Override
    public BackgroundService build() {
      Require.that(!jobs.isEmpty(), "a runner must have a job, had none; add one with every(…)");
      return new JobRunner(jobs);
    }

    @Override
    public BackgroundService start() {
      BackgroundService runner = build();
      runner.start();
      return runner;
    }
  }

  @Override
  public String name() {
    return "job-runner";
  }

  @Override
  public synchronized void start() {
    if (closed) {
      throw new IllegalStateException("the job runner is closed and cannot be started again");
    }
    if (!isRunning()) {
      Run started = new Run(jobs);
      run = started;
      started.threads.forEach(Thread::start);
    }
  }

  @Override
  public boolean stop(Duration timeout) {
    Require.between(timeout, Duration.ZERO, MAX_TIMEOUT, "timeout");
    Run stopping;
    synchronized (this) {
      stopping = run;
    }
    return stopping == null || stopping.stop(timeout);
  }

  @Override
  public boolean isRunning() {
    Run now = run;
    return now != null && now.isOn();
  }

  @Override
  public Health health() {
    return isRunning()
        ? Health.running(jobs.stream().flatMap(job -> job.issues().stream()).toList(), Map.of())
        : Health.stopped();
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    boolean unused = stop(SHUTDOWN_TIMEOUT);
  }
}
