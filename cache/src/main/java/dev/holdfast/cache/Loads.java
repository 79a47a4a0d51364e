package dev.holdfast.cache;

import dev.holdfast.lease.Lease;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls loaders, and passes their results to the waiting callers, the memory of this process, and
 * the other processes.
 */
final class Loads<K, V> {
  private static final Logger LOG = LoggerFactory.getLogger(SharedCache.class);
  private static final int MAX_ERROR_LENGTH = 1000;

  private final CacheCoordinator<V> sharing;
  private final LoadsInFlight<K, V> flights;
  private final Epochs epochs;
  private final StoreHealth health;
  private final CacheCounters counters;
  private final CacheSettings settings;
  private final LongSupplier clock;

  Loads(
      CacheCoordinator<V> sharing,
      LoadsInFlight<K, V> flights,
      Epochs epochs,
      StoreHealth health,
      CacheCounters counters,
      CacheSettings settings,
      LongSupplier clock) {
    this.sharing = sharing;
    this.flights = flights;
    this.epochs = epochs;
    this.health = health;
    this.counters = counters;
    this.settings = settings;
    this.clock = clock;
  }

  /**
   * What a loader has answered: a value, none, or an error.
   *
   * @param old what is still good for something, after an error
   */
  private record Loaded<V>(
      @Nullable V value, @Nullable Throwable failure, @Nullable LocalEntry<V> old, long nanos) {}

  /** For as long as what was loaded is used. */
  private record Lifetime(Duration fresh, Duration kept) {}

  /** Without the store: for this process only. */
  void alone(Load<K, V> flight) {
    Epochs.Moment moment = epochs.now(flight.name);
    CompletableFuture<Void> limit = limit(() -> flights.detach(flight));
    LocalEntry<V> mine = flight.mine();
    Loaded<V> loaded = load(flight, mine != null && epochs.isCurrent(mine) ? mine : null);
    limit.complete(null);
    land(flight, loaded, lifetime(loaded), moment, 0);
  }

  /** Under the lease, for all. */
  void lead(Load<K, V> flight, LoadDecision.Lead<V> lead) {
    flights.lead(flight);
    AtomicBoolean resigned = new AtomicBoolean();
    CompletableFuture<Void> limit =
        limit(
            () -> {
              LOG.warn(
                  "cache-load-slow: loading {} took longer than {}; other callers and processes may"
                      + " load it now",
                  flight.name,
                  settings.maxLoadTime());
              flights.detach(flight);
              resign(flight, lead.lease(), resigned);
            });
    // what was seen before we had the lease may have been invalidated since
    Loaded<V> loaded = load(flight, lead.old());
    limit.complete(null);
    Lifetime lifetime = lifetime(loaded);
    land(flight, loaded, lifetime, lead.moment(), lead.lease().token());
    if (!flight.isDetached() && share(flight, lead, loaded, lifetime)) {
      CacheCoordinator.release(lead.lease());
      flights.led(flight);
    } else {
      resign(flight, lead.lease(), resigned);
    }
  }

  private CompletableFuture<Void> limit(Runnable action) {
    CompletableFuture<Void> ended = new CompletableFuture<>();
    // completed by the load in time, which also cancels the timer
    ended
        .copy()
        .orTimeout(settings.maxLoadTime().toNanos(), TimeUnit.NANOSECONDS)
        .exceptionally(
            tooLate -> {
              CacheThreads.POOL.execute(action);
              return null;
            });
    return ended;
  }

  private Loaded<V> load(Load<K, V> flight, @Nullable LocalEntry<V> old) {
    flight.beginLoading();
    counters.loads.increment();
    if (flight.replaces != Load.ANY) {
      counters.earlyRefreshes.increment();
    }
    long begun = clock.getAsLong();
    try {
      V value = flight.loader.load(flight.key);
      return new Loaded<>(value, null, null, clock.getAsLong() - begun);
    } catch (Exception | Error e) {
      counters.loadFailures.increment();
      long now = clock.getAsLong();
      boolean kept = old != null && old.value != null && old.isKept(now);
      return new Loaded<>(null, e, kept ? old : null, now - begun);
    }
  }

  private Lifetime lifetime(Loaded<V> loaded) {
    if (loaded.failure() != null) {
      // an error must not take the place of a value that is still good for something
      LocalEntry<V> old = loaded.old();
      return old == null
          ? new Lifetime(settings.errorsFor(), settings.errorsFor())
          : lifetimeAgain(old);
    }
    if (loaded.value() == null) {
      return new Lifetime(settings.emptyFor(), settings.emptyFor());
    }
    Duration fresh = settings.jittered();
    return new Lifetime(fresh, fresh.plus(settings.oldFor()));
  }

  /** For as long as an error is not tried again, it is as if it were fresh. */
  private Lifetime lifetimeAgain(LocalEntry<V> old) {
    long now = clock.getAsLong();
    Duration kept = Duration.ofNanos(Math.max(0, old.keptUntil - now));
    Duration pause = settings.errorsFor();
    return pause.isZero() || old.isGood(now)
        ? new Lifetime(Duration.ZERO, Duration.ZERO)
        : new Lifetime(pause.compareTo(kept) < 0 ? pause : kept, kept);
  }

  private void land(
      Load<K, V> flight, Loaded<V> loaded, Lifetime lifetime, Epochs.Moment moment, long token) {
    LocalEntry.Times times =
        LocalEntry.Times.from(
            clock.getAsLong(),
            settings.localFor().toNanos(),
            lifetime.fresh().toNanos(),
            lifetime.kept().toNanos(),
            settings);
    Throwable failure = loaded.failure();
    boolean kept = !lifetime.kept().isZero();
    if (failure != null) {
      LocalEntry<V> copy = kept ? afterFailure(failure, loaded.old(), token, moment, times) : null;
      flights.land(flight, new LoadOutcome.Failed<>(failure), copy);
    } else {
      double beta = loaded.value() == null ? 0 : settings.earliness();
      LocalEntry<V> copy =
          LocalEntry.of(loaded.value(), token, moment, times, loaded.nanos(), beta);
      flights.land(flight, new LoadOutcome.Ended<>(copy), kept ? copy : null);
    }
  }

  private LocalEntry<V> afterFailure(
      Throwable failure,
      @Nullable LocalEntry<V> old,
      long token,
      Epochs.Moment moment,
      LocalEntry.Times times) {
    V value = old == null ? null : old.value;
    return value == null
        ? LocalEntry.failed(text(failure), token, moment, times)
        : LocalEntry.again(value, token, moment, times);
  }

  /** Whether the others have it now. */
  private boolean share(
      Load<K, V> flight, LoadDecision.Lead<V> lead, Loaded<V> loaded, Lifetime lifetime) {
    if (loaded.failure() != null && lifetime.kept().isZero()) {
      return false;
    }
    byte[] body;
    try {
      body = sharing.body(flight.name, envelope(loaded));
    } catch (RuntimeException e) {
      health.refused(e);
      return false;
    }
    try {
      boolean wanted = sharing.publish(flight.name, lead, body, lifetime.fresh(), lifetime.kept());
      if (!wanted) {
        // invalidated or overtaken meanwhile
        epochs.outdate(flight.name.text());
      }
      // where nothing is kept, those who wait are to be told when the lease is released
      return wanted && !lifetime.kept().isZero();
    } catch (RuntimeException e) {
      health.failed(e);
      return false;
    }
  }

  private Envelope envelope(Loaded<V> loaded) {
    Throwable failure = loaded.failure();
    V value = loaded.value();
    if (failure != null) {
      LocalEntry<V> old = loaded.old();
      V again = old == null ? null : old.value;
      return again == null
          ? Envelope.error(text(failure))
          : new Envelope(Envelope.Kind.AGAIN, 0, sharing.codec().encode(again));
    }
    return value == null
        ? new Envelope(Envelope.Kind.EMPTY, loaded.nanos(), new byte[0])
        : new Envelope(Envelope.Kind.VALUE, loaded.nanos(), sharing.codec().encode(value));
  }

  private void resign(Load<K, V> flight, Lease lease, AtomicBoolean resigned) {
    if (resigned.compareAndSet(false, true)) {
      try {
        sharing.resign(flight.name, lease);
      } catch (RuntimeException e) {
        health.failed(e);
      } finally {
        flights.led(flight);
      }
    }
  }

  private static String text(Throwable failure) {
    String text = failure.toString();
    return text.length() <= MAX_ERROR_LENGTH ? text : text.substring(0, MAX_ERROR_LENGTH);
  }
}
