package dev.holdfast.cache;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the store is asked at all: after a failure only one call a second is let through, and the
 * others go on without it, until it answers. Thread-safe.
 */
final class StoreHealth {
  private static final Logger LOG = LoggerFactory.getLogger(SharedCache.class);
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final String cache;
  private final CacheCounters counters;
  private final AtomicLong askAgain = new AtomicLong();
  private volatile boolean down;

  StoreHealth(String cache, CacheCounters counters) {
    this.cache = cache;
    this.counters = counters;
  }

  boolean isDown() {
    return down;
  }

  /** Whether the caller may ask; where it may not, nobody knows when. */
  boolean mayAsk() {
    if (!down) {
      return true;
    }
    long next = askAgain.get();
    long now = System.nanoTime();
    return now - next >= 0 && askAgain.compareAndSet(next, now + PAUSE_NANOS);
  }

  void answered() {
    if (down) {
      down = false;
      LOG.info("cache-store-recovered: cache '{}' uses its store again", cache);
    }
  }

  /** One value cannot be shared; the store has nothing to do with it. */
  void refused(RuntimeException why) {
    counters.storeFailures.increment();
    LOG.warn(
        "cache-value-not-shared: the store of cache '{}' rejected a value; it is kept in this"
            + " process only: {}",
        cache,
        why.toString());
  }

  void failed(Throwable why) {
    counters.storeFailures.increment();
    askAgain.set(System.nanoTime() + PAUSE_NANOS);
    if (!down) {
      down = true;
      LOG.warn(
          "cache-store-unavailable: cache '{}' continues without its store: {}",
          cache,
          why.toString());
    } else {
      LOG.debug("cache '{}' is still without its store", cache, why);
    }
  }
}
