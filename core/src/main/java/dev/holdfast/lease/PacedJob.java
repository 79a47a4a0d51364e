package dev.holdfast.lease;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A job of a runner: sleeps until it is due, tries to run it, and so on. */
record PacedJob(ExclusiveJob job, JobAction<?> action, Duration interval, Duration jitter) {
  private static final Logger LOG = LoggerFactory.getLogger(ExclusiveRunner.class);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

  /** The clock of the database may be set, and this machine suspended. */
  private static final Duration LONGEST_SLEEP = Duration.ofMinutes(1);

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
    try {
      JobResult result = job.run(action, interval);
      LOG.debug("{}: {}", job, result);
      return result instanceof JobResult.Busy ? pause() : rest();
    } catch (Throwable failure) {
      LOG.error("{} failed, and is run again when it is due: {}", job, failure.toString(), failure);
      // also where it was interrupted, which it is when it loses its lease: the next run is due
      return longer(rest(), pause());
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
      LOG.warn("when {} is due could not be read, trying again: {}", job, e.toString());
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
