package dev.holdfast.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.holdfast.internal.Require;
import dev.holdfast.lease.Leases;
import dev.holdfast.transaction.TransactionStateException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A cache that several processes share: what many of them want at once is computed once.
 *
 * <pre>{@code
 * SharedCache<Long, Price> prices =
 *     SharedCache.<Long, Price>named("prices")
 *         .values(JacksonCodecs.of(Price.class))
 *         .freshFor(Duration.ofMinutes(5))
 *         .on(holdfast.leases(), CacheStore.using(dataSource));
 *
 * Price price = prices.get(42L, id -> catalog.price(id));
 * }</pre>
 *
 * <p>A value is looked for in the memory of this process, then in the store. Where it is in
 * neither, one call in one process loads it, under a lease, and all others wait for it, each no
 * longer than it wants to. Where the one that loads dies, another takes its place when the lease
 * has run out.
 *
 * <p>It is a cache: a value may be as old as its settings say. A loader may be called twice where a
 * process was stopped for longer than its lease, where a load takes longer than {@code
 * maxLoadTime}, or while the store does not answer: then each process goes on by itself. After
 * {@link #invalidate} has returned, no call in this process is answered with what was before; other
 * processes follow when they hear of it, at the latest after {@code localFor}.
 *
 * <p>Loaders run in threads of the cache, outside of the caller's transaction. Values are given out
 * as they are, to all callers: they must not be changed. Make one cache per name and keep it; it
 * needs not be closed. Thread-safe.
 */
public final class SharedCache<K, V> {
  private final Cache<K, LocalEntry<V>> local;
  private final CacheEngine<K, V> engine;
  private final LongSupplier ticks;
  private final Epochs epochs;
  private final CacheCounters counters;

  SharedCache(SharedCacheBuilder<K, V> built, Leases leases, CacheStore store) {
    CacheSettings settings = built.settings();
    this.local = Caffeine.newBuilder().maximumSize(settings.localSize()).build();
    this.engine = new CacheEngine<>(built, settings, leases, store, local);
    this.ticks = built.ticks();
    this.epochs = engine.epochs();
    this.counters = engine.counters();
  }

  /**
   * Begins to make a cache.
   *
   * @param name the same in all processes that share it: 1 to 100 letters, digits and {@code . _ -}
   */
  public static <K, V> SharedCacheBuilder<K, V> named(String name) {
    return new SharedCacheBuilder<>(name);
  }

  /**
   * The value of a key, loaded where nobody has it; null where the loader has answered null. Waits
   * for as long as the cache was told to, 30 s by default.
   *
   * @throws dev.holdfast.InvalidArgumentException without a key, or where it would have to be
   *     loaded and there is no loader
   * @throws CacheLoadException where the load has failed, and no old value is allowed instead
   * @throws CacheTimeoutException where it took too long, and no old value is allowed instead, or
   *     the thread was interrupted, which it stays
   */
  public @Nullable V get(K key, CacheLoader<? super K, ? extends V> loader) {
    LocalEntry<V> copy = local.getIfPresent(Require.notNull(key, "key"));
    if (copy != null && ticks.getAsLong() - copy.calmUntil < 0 && epochs.isCurrent(copy)) {
      counters.hits.increment();
      return copy.value;
    }
    return engine.get(key, loader, engine.settings().patience(), copy);
  }

  /** As {@link #get(Object, CacheLoader)}, waiting no longer than this. */
  public @Nullable V get(K key, CacheLoader<? super K, ? extends V> loader, Duration wait) {
    Require.between(wait, Duration.ZERO, Duration.ofDays(1), "wait");
    LocalEntry<V> copy = local.getIfPresent(Require.notNull(key, "key"));
    if (copy != null && ticks.getAsLong() - copy.calmUntil < 0 && epochs.isCurrent(copy)) {
      counters.hits.increment();
      return copy.value;
    }
    return engine.get(key, loader, wait, copy);
  }

  /**
   * The value of a key, if this process or the store has one that may be served. Loads nothing, and
   * waits for nobody but the store.
   */
  public Optional<V> getIfPresent(K key) {
    return engine.getIfPresent(key, local.getIfPresent(Require.notNull(key, "key")));
  }

  /**
   * Removes the value of a key, because what it was made of has changed; also from loads that are
   * under way in any process. To be called after the change was committed.
   *
   * @throws TransactionStateException inside a transaction of Holdfast
   * @throws dev.holdfast.HoldfastException where the store did not answer; then other processes may
   *     have the old value until it is over: try again
   */
  public void invalidate(K key) {
    engine.invalidate(Require.notNull(key, "key"));
  }

  /** What it has done in this process since it was made. */
  public CacheStats stats() {
    return engine.stats();
  }

  /** Its name, how many values it has in memory, about, and what it has done. */
  @Override
  public String toString() {
    return "SharedCache[name=%s, inMemory=%d, stats=%s]"
        .formatted(engine.name(), local.estimatedSize(), stats());
  }
}
