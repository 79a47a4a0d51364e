package dev.holdfast.cache;

import com.github.benmanes.caffeine.cache.Cache;
import dev.holdfast.internal.Require;
import dev.holdfast.lease.Leases;
import dev.holdfast.transaction.TransactionStateException;
import dev.holdfast.transaction.Transactions;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** What a {@link SharedCache} does where the memory of this process is not enough. Thread-safe. */
final class CacheEngine<K, V> {
  private static final long FORGET_EVERY_NANOS = TimeUnit.MINUTES.toNanos(10);

  private final String cache;
  private final Function<? super K, String> keys;
  private final Cache<K, LocalEntry<V>> local;
  private final CacheSettings settings;
  private final LongSupplier clock;
  private final Epochs epochs = new Epochs();
  private final CacheCounters counters = new CacheCounters();
  private final StoreHealth health;
  private final CacheCoordinator<V> sharing;
  private final LoadsInFlight<K, V> flights;
  private final LoadLeader<K, V> pilot;
  private volatile long nextForgetting;

  CacheEngine(
      SharedCacheBuilder<K, V> built,
      CacheSettings settings,
      Leases leases,
      CacheStore store,
      Cache<K, LocalEntry<V>> local) {
    this.cache = built.name();
    this.keys = built.keys();
    this.local = local;
    this.settings = settings;
    this.clock = built.clock();
    this.health = new StoreHealth(cache, counters);
    this.flights = new LoadsInFlight<>(local, built.executor(), counters);
    ChangeNotification news =
        new ChangeNotification(
            store, cache, settings.localFor(), epochs, flights::tell, flights::detachLoading);
    this.sharing =
        new CacheCoordinator<>(leases, store, built.codec(), settings, epochs, news, clock);
    Loads<K, V> loads = new Loads<>(sharing, flights, epochs, health, counters, settings, clock);
    this.pilot = new LoadLeader<>(sharing, loads, flights, health, counters, settings, clock);
    this.nextForgetting =
        System.nanoTime() + ThreadLocalRandom.current().nextLong(FORGET_EVERY_NANOS);
  }

  String name() {
    return cache;
  }

  Epochs epochs() {
    return epochs;
  }

  CacheCounters counters() {
    return counters;
  }

  CacheSettings settings() {
    return settings;
  }

  CacheStats stats() {
    return counters.stats(!health.isDown());
  }

  private CacheName name(K key) {
    return CacheName.of(cache, Require.notNull(keys.apply(key), "the text of a key"));
  }

  @Nullable V get(
      K key,
      CacheLoader<? super K, ? extends V> loader,
      Duration wait,
      @Nullable LocalEntry<V> copy) {
    Require.notNull(loader, "loader");
    LocalEntry<V> mine = copy != null && epochs.isCurrent(copy) ? copy : null;
    long now = clock.getAsLong();
    if (mine != null && isUsable(mine, now)) {
      refreshWhereDue(key, loader, mine, now);
      return answer(mine, now, key);
    }
    return await(key, loader, wait, mine);
  }

  /** Whether a copy may be served without asking the store. */
  private boolean isUsable(LocalEntry<V> mine, long now) {
    return mine.isServable(now) && (mine.isLocal(now) || health.isDown());
  }

  private @Nullable V answer(LocalEntry<V> copy, long now, K key) {
    String error = copy.error;
    if (error != null) {
      throw CacheLoadException.shared(name(key).toString(), error);
    }
    (copy.isGood(now) ? counters.hits : counters.staleServed).increment();
    return copy.value;
  }

  private void refreshWhereDue(
      K key, CacheLoader<? super K, ? extends V> loader, LocalEntry<V> mine, long now) {
    boolean fresh = mine.isFresh(now);
    boolean due =
        mine.error == null
            && (!fresh
                || EarlyRefresh.isDue(settings.earliness(), mine.loadNanos, mine.freshUntil - now));
    if (due && mine.claimRefresh(now)) {
      long until = System.nanoTime() + settings.patience().toNanos();
      long replaces = fresh ? mine.token : Load.ANY;
      flights.refresh(new Load<>(key, name(key), loader, replaces, until), pilot::fly);
    }
  }

  private @Nullable V await(
      K key,
      CacheLoader<? super K, ? extends V> loader,
      Duration wait,
      @Nullable LocalEntry<V> mine) {
    forgetFromTimeToTime();
    CacheName name = name(key);
    long until = System.nanoTime() + wait.toNanos();
    while (true) {
      Load<K, V> own = new Load<>(key, name, loader, Load.ANY, until);
      own.begin(mine);
      Load<K, V> flight = flights.join(own, until, pilot::fly);
      LoadOutcome<V> outcome;
      try {
        outcome = flight.await(until, clock.getAsLong());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new CacheTimeoutException(name.toString(), wait, true);
      }
      if (outcome instanceof LoadOutcome.Ended<V> ended) {
        return answered(name, flight, ended.copy(), mine);
      }
      if (outcome instanceof LoadOutcome.Failed<V> failed) {
        return fallback(flight, mine, new CacheLoadException(name.toString(), failed.why()));
      }
      if (outcome == null || until - System.nanoTime() <= 0) {
        counters.waitsOver.increment();
        return fallback(flight, mine, new CacheTimeoutException(name.toString(), wait, false));
      }
    }
  }

  private @Nullable V answered(
      CacheName name, Load<K, V> flight, LocalEntry<V> copy, @Nullable LocalEntry<V> mine) {
    String error = copy.error;
    if (error != null) {
      return fallback(flight, mine, CacheLoadException.shared(name.toString(), error));
    }
    if (copy.again || copy == flight.old()) {
      counters.staleServed.increment();
    }
    return copy.value;
  }

  /** An old value, where it is allowed, rather than the exception. */
  private @Nullable V fallback(
      Load<K, V> flight, @Nullable LocalEntry<V> mine, RuntimeException otherwise) {
    long now = clock.getAsLong();
    LocalEntry<V> old = flight.old();
    if (old == null && mine != null && mine.error == null && epochs.isCurrent(mine)) {
      old = mine;
    }
    if (old == null || !old.isKept(now)) {
      throw otherwise;
    }
    counters.staleServed.increment();
    return old.value;
  }

  Optional<V> getIfPresent(K key, @Nullable LocalEntry<V> copy) {
    long now = clock.getAsLong();
    if (copy != null && epochs.isCurrent(copy) && isUsable(copy, now)) {
      if (copy.error == null) {
        (copy.isGood(now) ? counters.hits : counters.staleServed).increment();
      }
      return Optional.ofNullable(copy.value);
    }
    CacheName name = name(key);
    LoadDecision<V> turn = pilot.ask(() -> new LoadDecision.Follow<>(0, sharing.look(name)));
    LocalEntry<V> found = turn instanceof LoadDecision.Follow<V> look ? look.old() : null;
    if (found == null || !found.isServable(clock.getAsLong())) {
      return Optional.empty();
    }
    local.put(key, found);
    if (found.error == null) {
      counters.sharedHits.increment();
    }
    return Optional.ofNullable(found.value);
  }

  void invalidate(K key) {
    CacheName name = name(key);
    if (Transactions.isOpenOnThisThread()) {
      throw new TransactionStateException(
          TransactionStateException.Reason.ACTIVE,
          "Cannot invalidate "
              + name
              + " inside a transaction: until it commits, other processes read and cache the old"
              + " rows. Invalidate after the transaction has ended.");
    }
    drop(key, name);
    sharing.invalidate(name);
    // again: what was asked of the store before it knew
    drop(key, name);
  }

  private void drop(K key, CacheName name) {
    epochs.outdate(name.text());
    flights.detach(name.text());
    local.invalidate(key);
  }

  private void forgetFromTimeToTime() {
    long now = System.nanoTime();
    if (now - nextForgetting > 0 && !health.isDown()) {
      nextForgetting = now + FORGET_EVERY_NANOS;
      CacheThreads.POOL.execute(this::forget);
    }
  }

  private void forget() {
    try {
      sharing.forget();
    } catch (RuntimeException e) {
      health.failed(e);
    }
  }
}
