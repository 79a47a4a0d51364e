package dev.holdfast.internal.event.engine;

import dev.holdfast.internal.event.store.ClaimedEvent;
import dev.holdfast.internal.event.store.CompletionUpdate;
import dev.holdfast.internal.event.store.QueueCounters;
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
final class WorkerCounters {
  private static final long CLOCK_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final EventBackend home;
  private Map<String, QueueCounters> tallies = new HashMap<>();
  private final FailureLog failures = new FailureLog();
  private volatile @Nullable Clock clock;

  /** What the database's clock showed, and when by {@link System#nanoTime()}. */
  private record Clock(long micros, long nanos) {
    long at(long nanoTime) {
      return micros + TimeUnit.NANOSECONDS.toMicros(nanoTime - nanos);
    }
  }

  WorkerCounters(EventBackend home) {
    this.home = home;
  }

  /** Counts those of a batch that were stored: all, or these. */
  void count(Collection<Completion> batch, Set<Long> stored) {
    boolean all = stored.size() >= batch.size();
    synchronized (this) {
      for (Completion finished : batch) {
        if (all || stored.contains(finished.event().id())) {
          count(finished);
        }
      }
    }
  }

  /** Counts an event that has completed in its handler's transaction. */
  synchronized void completed(ClaimedEvent event) {
    QueueCounters tally = tally(event);
    tally.completed();
    lag(tally, event);
  }

  private void count(Completion finished) {
    CompletionUpdate ending = finished.update();
    if (ending != null) {
      QueueCounters tally = tally(finished.event());
      switch (ending.status()) {
        case COMPLETED -> tally.completed();
        case FAILED -> {
          tally.failed();
          failures.add(finished.event(), ending.error());
        }
        default -> tally.cancelled();
      }
      lag(tally, finished.event());
    } else if (finished.requeue() != null && finished.requeue().attemptCounts()) {
      QueueCounters tally = tally(finished.event());
      tally.retried();
      lag(tally, finished.event());
    }
  }

  private QueueCounters tally(ClaimedEvent event) {
    return tallies.computeIfAbsent(event.queue(), QueueCounters::new);
  }

  private void lag(QueueCounters tally, ClaimedEvent event) {
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
    List<QueueCounters> counted = take();
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

  private synchronized List<QueueCounters> take() {
    List<QueueCounters> counted = new ArrayList<>(tallies.values());
    tallies = new HashMap<>();
    return counted;
  }

  private synchronized void putBack(List<QueueCounters> counted) {
    counted.forEach(tally -> tallies.computeIfAbsent(tally.queue(), QueueCounters::new).add(tally));
  }
}
