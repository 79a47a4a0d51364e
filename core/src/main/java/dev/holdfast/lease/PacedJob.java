package dev.holdfast.lease;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A job of a runner: sleeps until it is due, tries to run it, and so on. */
record PacedJob(
    ExclusiveJob job,
    JobAction<?> action,
    Duration interval,
    Duration jitter,
    Beginnings beginnings) {
  private static final Logger LOG = LoggerFactory.getLogger(ExclusiveRunner.class);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

  /** The clock of the database may be set, and this machine suspended. */
  private static final Duration LONGEST_SLEEP = Duration.ofMinutes(1);

  PacedJob(ExclusiveJob job, JobAction<?> action, Duration interval, Duration jitter) {
    this(job, action, interval, jitter, new Beginnings(job));
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
      LOG.debug("{} is not run any more", job);
    }
  }

  /** Tries to run it, and answers how long it is until the next try. */
  @SuppressWarnings({
    "CatchingUnchecked",
    "InterruptedExceptionSwallowed"
  }) // the next may fare better
  private Duration tried() {
    AtomicBoolean began = new AtomicBoolean();
    JobAction<Exception> told =
        run -> {
          began.set(true);
          beginnings.worked();
          action.run(run);
        };
    try {
      JobResult result = job.run(told, interval);
      LOG.debug("{}: {}", job, result);
      if (result instanceof JobResult.Busy) {
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
    if (failure instanceof LeaseLostException lost && lost.isEndOfJob()) {
      LOG.debug("{} is run again when it is due", job, failure);
    } else if (began) {
      beginnings.runFailed(failure);
      LOG.error("{} failed, and is run again when it is due: {}", job, failure.toString(), failure);
    } else {
      beginnings.failed(failure);
    }
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  private Duration rest() {
    try {
      Duration rest = job.rest(interval);
      return rest.compareTo(LONGEST_SLEEP) < 0 ? rest : LONGEST_SLEEP;
    } catch (RuntimeException e) {
      beginnings.failed(e);
      return pause();
    }
  }

  /** How long to wait for one that runs, or for a database that is away. */
  private Duration pause() {
    Duration part = interval.dividedBy(4);
    return part.compareTo(LONGEST_PAUSE) < 0 ? part : LONGEST_PAUSE;
  }

  private long chance() {
    return ThreadLocalRandom.current().nextLong(jitter.toNanos() + 1);
  }
}
