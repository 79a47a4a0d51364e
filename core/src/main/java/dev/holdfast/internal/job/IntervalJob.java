package dev.holdfast.internal.job;

import dev.holdfast.Health.Issue;
import dev.holdfast.LeaseLostException;
import dev.holdfast.job.Job;
import dev.holdfast.job.JobRunResult;
import dev.holdfast.job.Jobs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A job of a runner: sleeps until it is due, tries to run it, and so on. If it cannot start, the
 * reason is logged once, and once more when it can start again. Changed by the thread of the job;
 * any thread may read the issues.
 */
final class IntervalJob {
  private static final Logger LOG = LoggerFactory.getLogger(Jobs.class);
  private static final Duration MAX_RETRY_DELAY = Duration.ofSeconds(10);

  /** The clock of the database may be set, and this machine suspended. */
  private static final Duration MAX_SLEEP = Duration.ofMinutes(1);

  private final DefaultJob job;
  private final Job.Action<?> action;
  private final Duration interval;
  private final Duration jitter;
  private long failures;
  private volatile @Nullable Failure start;
  private volatile @Nullable Failure lastRun;

  /** A failure that lasts, and its first moment. */
  private record Failure(String message, long sinceNanos) {
    static Failure of(String message, @Nullable Failure before) {
      return new Failure(message, before == null ? System.nanoTime() : before.sinceNanos);
    }

    Issue issue(String code) {
      return new Issue(code, message, Duration.ofNanos(System.nanoTime() - sinceNanos));
    }
  }

  IntervalJob(DefaultJob job, Job.Action<?> action, Duration interval, Duration jitter) {
    this.job = job;
    this.action = action;
    this.interval = interval;
    this.jitter = jitter;
  }

  String name() {
    return job.name();
  }

  void runUntil(CountDownLatch stopped) {
    try {
      Duration delay = untilNextRun();
      while (!stopped.await(delay.toNanos() + randomJitter(), TimeUnit.NANOSECONDS)) {
        delay = tryRun();
      }
    } catch (InterruptedException e) {
      // the runner interrupts only after it was stopped; other code that interrupts ends this, too
      LOG.debug("{} stopped", job);
    }
  }

  /** Tries to run the job; returns the time until the next try. */
  @SuppressWarnings({
    "CatchingUnchecked",
    "InterruptedExceptionSwallowed"
  }) // the next run may succeed
  private Duration tryRun() {
    AtomicBoolean started = new AtomicBoolean();
    Job.Action<Exception> observed =
        context -> {
          started.set(true);
          canStart();
          action.run(context);
        };
    try {
      JobRunResult result = job.run(observed, interval);
      LOG.debug("{}: {}", job, result);
      if (result instanceof JobRunResult.AlreadyRunning) {
        canStart();
        return retryDelay();
      }
      if (started.get()) {
        lastRun = null;
      }
      return untilNextRun();
    } catch (Throwable failure) {
      failed(failure, started.get());
      // also after an interrupt, such as for a lost lease: the next run is due
      return longer(untilNextRun(), retryDelay());
    }
  }

  private void failed(Throwable failure, boolean started) {
    if (failure instanceof LeaseLostException lost
        && lost.code().equals(JobInterrupter.LEASE_LOST)) {
      LOG.debug("{} runs again when it is due", job, failure);
    } else if (started) {
      lastRun = Failure.of("the last run of " + job + " failed: " + failure, lastRun);
      LOG.error(
          "job-failed: {} failed; it runs again when it is due: {}",
          job,
          failure.toString(),
          failure);
    } else {
      startFailed(failure);
    }
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  private Duration untilNextRun() {
    try {
      Duration delay = job.untilNextRun(interval);
      return delay.compareTo(MAX_SLEEP) < 0 ? delay : MAX_SLEEP;
    } catch (RuntimeException e) {
      startFailed(e);
      return retryDelay();
    }
  }

  /** How long to wait for an active run to end, or for a database to respond again. */
  private Duration retryDelay() {
    Duration part = interval.dividedBy(4);
    return part.compareTo(MAX_RETRY_DELAY) < 0 ? part : MAX_RETRY_DELAY;
  }

  private long randomJitter() {
    return ThreadLocalRandom.current().nextLong(jitter.toNanos() + 1);
  }

  private void startFailed(Throwable failure) {
    failures++;
    start = Failure.of(job + " could not start: " + failure, start);
    if (failures == 1) {
      LOG.warn(
          "job-start-failed: {} could not start; retrying silently until it can: {}",
          job,
          failure.toString());
    }
    LOG.debug("{} could not start {} times in a row", job, failures, failure);
  }

  private void canStart() {
    if (failures > 0) {
      // the same level as the failure, so that both are seen
      LOG.warn("job-start-recovered: {} can start again after {} failures", job, failures);
    }
    failures = 0;
    start = null;
  }

  List<Issue> issues() {
    Failure notStarted = start;
    Failure failed = lastRun;
    List<Issue> issues = new ArrayList<>();
    if (notStarted != null) {
      issues.add(notStarted.issue("job-start-failed"));
    }
    if (failed != null) {
      issues.add(failed.issue("job-failed"));
    }
    return issues;
  }
}
