package dev.holdfast.cache;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How long a cache keeps what, and how long it waits. Immutable; see {@link SharedCacheBuilder}.
 */
record CacheSettings(
    Duration freshFor,
    Duration staleFor,
    Duration fallbackFor,
    Duration emptyFor,
    Duration errorsFor,
    Duration localFor,
    Duration lease,
    Duration patience,
    Duration storePatience,
    Duration maxLoadTime,
    double jitter,
    double earliness,
    long localSize) {
  /**
   * How long a value that is loaded now is fresh: a bit less for some, so that not all end at once.
   */
  Duration jittered() {
    double share = 1 - jitter * ThreadLocalRandom.current().nextDouble();
    return Duration.ofNanos(Math.max(1, (long) (freshFor.toNanos() * share)));
  }

  /** How long a value is kept after it was fresh. */
  Duration oldFor() {
    return staleFor.plus(fallbackFor);
  }
}
