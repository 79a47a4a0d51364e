package dev.holdfast.internal.job;

import dev.holdfast.LeaseLostException;
import dev.holdfast.job.Job;
import dev.holdfast.job.JobRunResult;
import dev.holdfast.job.Jobs;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A job of a runner: sleeps until it is due, tries to run it, and so on. */
record IntervalJob(
    DefaultJob job,
    Job.Action<?> action,
    Duration interval,
    Duration jitter,
    JobStartMonitor beginnings) {
  private static final Logger LOG = LoggerFactory.getLogger(Jobs.class);
  private static final Duration MAX_DELAY = Duration.ofSeconds(10);

  /** The clock of the database may be set, and this machine suspended. */
  private static final Duration MAX_SLEEP = Duration.ofMinutes(1);

  IntervalJob(DefaultJob job, Job.Action<?> action, Duration interval, Duration jitter) {
    this(job, action, interval, jitter, new JobStartMonitor(job));
  }

  String name() {
    return job.name();
  }

  void runUntil(CountDownLatch stopped) {
    try {
      Duration rest = rest();
      while (!stopped.await(rest.toNanos() + chance(), TimeUnit.NANOSECONDS)) {
        rest = tried();
      }
    } catch (InterruptedException e) {
      // the runner interrupts only after it was stopped; whoever else did wants this to end, too
      LOG.debug("{} stopped", job);
    }
  }

  /** Tries to run it, and answers how long it is until the next try. */
  @SuppressWarnings({
    "CatchingUnchecked",
    "InterruptedExceptionSwallowed"
  }) // the next may fare better
  private Duration tried() {
    AtomicBoolean began = new AtomicBoolean();
    Job.Action<Exception> observed =
        context -> {
          began.set(true);
          beginnings.worked();
          action.run(context);
        };
    try {
      JobRunResult result = job.run(observed, interval);
      LOG.debug("{}: {}", job, result);
      if (result instanceof JobRunResult.AlreadyRunning) {
        beginnings.worked();
        return pause();
      }
      if (began.get()) {
        beginnings.runSucceeded();
      }
      return rest();
    } catch (Throwable failure) {
      log(failure, began.get());
      // also where it was interrupted, which it is when it loses its lease: the next run is due
      return longer(rest(), pause());
    }
  }

  private void log(Throwable failure, boolean began) {
    if (failure instanceof LeaseLostException lost
        && lost.code().equals(JobInterrupter.LEASE_LOST)) {
      LOG.debug("{} runs again when it is due", job, failure);
    } else if (began) {
      beginnings.runFailed(failure);
      LOG.error(
          "job-failed: {} failed; it runs again when it is due: {}",
          job,
          failure.toString(),
          failure);
    } else {
      beginnings.failed(failure);
    }
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  private Duration rest() {
    try {
      Duration rest = job.untilNextRun(interval);
      return rest.compareTo(MAX_SLEEP) < 0 ? rest : MAX_SLEEP;
    } catch (RuntimeException e) {
      beginnings.failed(e);
      return pause();
    }
  }

  /** How long to wait for one that runs, or for a database that is away. */
  private Duration pause() {
    Duration part = interval.dividedBy(4);
    return part.compareTo(MAX_DELAY) < 0 ? part : MAX_DELAY;
  }

  private long chance() {
    return ThreadLocalRandom.current().nextLong(jitter.toNanos() + 1);
  }
}
