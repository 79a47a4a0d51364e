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
 * Counts what a worker has done, and stores it from time to time. What is counted in between is in
 * memory only. Counting never waits for the database. Thread-safe.
 */
final class WorkerCounters {
  private static final long CLOCK_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final EventBackend home;
  private Map<String, QueueCounters> counters = new HashMap<>();
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
      for (Completion completion : batch) {
        if (all || stored.contains(completion.event().id())) {
          count(completion);
        }
      }
    }
  }

  /** Counts an event that has completed in its handler's transaction. */
  synchronized void completed(ClaimedEvent event) {
    QueueCounters counter = counter(event);
    counter.completed();
    lag(counter, event);
  }

  private void count(Completion completion) {
    CompletionUpdate ending = completion.update();
    if (ending != null) {
      QueueCounters counter = counter(completion.event());
      switch (ending.status()) {
        case COMPLETED -> counter.completed();
        case FAILED -> {
          counter.failed();
          failures.add(completion.event(), ending.error());
        }
        default -> counter.cancelled();
      }
      lag(counter, completion.event());
    } else if (completion.requeue() != null && completion.requeue().attemptCounts()) {
      QueueCounters counter = counter(completion.event());
      counter.retried();
      lag(counter, completion.event());
    }
  }

  private QueueCounters counter(ClaimedEvent event) {
    return counters.computeIfAbsent(event.queue(), QueueCounters::new);
  }

  private void lag(QueueCounters counter, ClaimedEvent event) {
    Clock now = clock;
    if (now != null) {
      // one that was due before it was made could not be claimed before it was made
      long claimable = Math.max(micros(event.dueAt()), micros(event.createdAt()));
      counter.lag(now.at(event.readNanos()) - claimable);
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
    List<QueueCounters> counted = new ArrayList<>(counters.values());
    counters = new HashMap<>();
    return counted;
  }

  private synchronized void putBack(List<QueueCounters> counted) {
    counted.forEach(
        counter -> counters.computeIfAbsent(counter.queue(), QueueCounters::new).add(counter));
  }
}
