package dev.holdfast.cache;

import com.github.benmanes.caffeine.cache.Cache;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The loads in flight of a cache in this process, at most one per name. Thread-safe. */
final class LoadsInFlight<K, V> {
  private static final int MAX_REFRESHES = 16;

  private final ConcurrentHashMap<String, Load<K, V>> underway = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<String, Load<K, V>> leading = new ConcurrentHashMap<>();
  private final Semaphore refreshes = new Semaphore(MAX_REFRESHES);
  private final Cache<K, LocalEntry<V>> local;
  private final Executor executor;
  private final CacheCounters counters;

  LoadsInFlight(Cache<K, LocalEntry<V>> local, Executor executor, CacheCounters counters) {
    this.local = local;
    this.executor = executor;
    this.counters = counters;
  }

  /** The flight of this name that is under way, or else this one, which is begun. */
  Load<K, V> join(Load<K, V> mine, long until, Consumer<Load<K, V>> pilot) {
    Load<K, V> other = underway.putIfAbsent(mine.name.text(), mine);
    if (other != null) {
      other.waitedFor(until);
      counters.coalescedLocally.increment();
      return other;
    }
    begin(() -> fly(mine, pilot));
    return mine;
  }

  /**
   * Begins a flight that nobody waits for, unless there is one of its name, or are too many.
   *
   * @return whether it was begun
   */
  boolean refresh(Load<K, V> mine, Consumer<Load<K, V>> pilot) {
    if (!refreshes.tryAcquire()) {
      return false;
    }
    if (underway.putIfAbsent(mine.name.text(), mine) != null) {
      refreshes.release();
      return false;
    }
    begin(
        () -> {
          try {
            fly(mine, pilot);
          } finally {
            refreshes.release();
          }
        });
    return true;
  }

  private void begin(Runnable flight) {
    AtomicBoolean begun = new AtomicBoolean();
    try {
      executor.execute(
          () -> {
            begun.set(true);
            flight.run();
          });
    } catch (RuntimeException | Error e) {
      if (begun.get()) {
        throw e;
      }
      // an executor that was shut down, is full, or gets no thread: no reason to have no value
      flight.run();
    }
  }

  private void fly(Load<K, V> flight, Consumer<Load<K, V>> pilot) {
    try {
      pilot.accept(flight);
    } catch (RuntimeException | Error e) {
      flight.end(new LoadOutcome.Failed<>(e));
      throw e;
    } finally {
      // whatever happened, nobody waits for ever
      underway.remove(flight.name.text(), flight);
      flight.end(new LoadOutcome.GaveUp<>());
    }
  }

  /** Ends a flight; the copy, if there is one, is here for the next who ask. */
  void land(Load<K, V> flight, LoadOutcome<V> outcome, @Nullable LocalEntry<V> copy) {
    if (copy != null && !flight.isDetached()) {
      local.put(flight.key, copy);
    }
    underway.remove(flight.name.text(), flight);
    flight.end(outcome);
  }

  /** Serves a value that is not fresh to those who wait, while the flight goes on. */
  void serve(Load<K, V> flight, LocalEntry<V> stale) {
    local.put(flight.key, stale);
    flight.serve(stale);
  }

  /** Who asks from now on does not get what this flight brings. */
  void detach(Load<K, V> flight) {
    flight.detach();
    underway.remove(flight.name.text(), flight);
  }

  void detach(String name) {
    Load<K, V> flight = underway.get(name);
    if (flight != null) {
      detach(flight);
    }
  }

  /** As {@link #detach(String)}, where what is loaded is what was before. */
  void detachLoading(String name) {
    Load<K, V> flight = underway.get(name);
    if (flight != null && flight.isLoading()) {
      detach(flight);
    }
  }

  /** This flight has the lease of its name from now on. */
  void lead(Load<K, V> flight) {
    leading.put(flight.name.text(), flight);
  }

  /** Its lease is released: the next one of this process needs not wait to be told by others. */
  void led(Load<K, V> flight) {
    leading.remove(flight.name.text(), flight);
    tell(flight.name.text());
  }

  /** Whether a flight of this process has the lease of a name, or is about to release it. */
  boolean isLedHere(CacheName name) {
    return leading.containsKey(name.text());
  }

  /** Wakes a flight that waits for another process. */
  void tell(String name) {
    Load<K, V> flight = underway.get(name);
    if (flight != null) {
      flight.tell();
    }
  }
}
