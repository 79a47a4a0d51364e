package dev.holdfast.event;

import dev.holdfast.event.internal.Claimed;
import dev.holdfast.event.internal.Ending;
import dev.holdfast.event.internal.Tally;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Counts what a worker has done, and stores it now and then. What is counted between is in memory
 * only. Counting never waits for the database. Thread-safe.
 */
final class WorkerStats {
  private static final long CLOCK_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final EventHome home;
  private Map<String, Tally> tallies = new HashMap<>();
  private final FailureLog failures = new FailureLog();
  private volatile @Nullable Clock clock;

  /** What the database's clock showed, and when by {@link System#nanoTime()}. */
  private record Clock(long micros, long nanos) {
    long at(long nanoTime) {
      return micros + TimeUnit.NANOSECONDS.toMicros(nanoTime - nanos);
    }
  }

  WorkerStats(EventHome home) {
    this.home = home;
  }

  /** Counts those of a batch that were stored: all, or these. */
  void count(Collection<Finished> batch, Set<Long> stored) {
    boolean all = stored.size() >= batch.size();
    synchronized (this) {
      for (Finished finished : batch) {
        if (all || stored.contains(finished.event().id())) {
          count(finished);
        }
      }
    }
  }

  /** Counts an event that has completed in its handler's transaction. */
  synchronized void completed(Claimed event) {
    Tally tally = tally(event);
    tally.completed();
    lag(tally, event);
  }

  private void count(Finished finished) {
    Ending ending = finished.ending();
    if (ending != null) {
      Tally tally = tally(finished.event());
      switch (ending.status()) {
        case COMPLETED -> tally.completed();
        case FAILED -> {
          tally.failed();
          failures.add(finished.event(), ending.error());
        }
        default -> tally.cancelled();
      }
      lag(tally, finished.event());
    } else if (finished.putBack() != null && finished.putBack().attemptCounts()) {
      Tally tally = tally(finished.event());
      tally.retried();
      lag(tally, finished.event());
    }
  }

  private Tally tally(Claimed event) {
    return tallies.computeIfAbsent(event.queue(), Tally::new);
  }

  private void lag(Tally tally, Claimed event) {
    Clock now = clock;
    if (now != null) {
      // one that was due before it was made could not be claimed before it was made
      long claimable = Math.max(micros(event.dueAt()), micros(event.createdAt()));
      tally.lag(now.at(event.readNanos()) - claimable);
    }
  }

  private static long micros(Instant time) {
    return TimeUnit.SECONDS.toMicros(time.getEpochSecond())
        + TimeUnit.NANOSECONDS.toMicros(time.getNano());
  }

  /** Stores what was counted since the last time, as what this instance has done. */
  void store(long instance) {
    failures.log();
    if (instance == 0) {
      return;
    }
    readClock();
    List<Tally> counted = take();
    if (counted.isEmpty()) {
      return;
    }
    try {
      home.step(
          () -> "storing what was counted",
          connection -> {
            home.stats().add(connection, instance, counted);
            return true;
          });
    } catch (RuntimeException | Error e) {
      putBack(counted);
      throw e;
    }
  }

  private void readClock() {
    Clock known = clock;
    long asked = System.nanoTime();
    if (known == null || asked - known.nanos > CLOCK_NANOS) {
      Instant now = home.step(() -> "reading the clock", home.stats()::now);
      clock = new Clock(micros(now), asked);
    }
  }

  private synchronized List<Tally> take() {
    List<Tally> counted = new ArrayList<>(tallies.values());
    tallies = new HashMap<>();
    return counted;
  }

  private synchronized void putBack(List<Tally> counted) {
    counted.forEach(tally -> tallies.computeIfAbsent(tally.queue(), Tally::new).add(tally));
  }
}
