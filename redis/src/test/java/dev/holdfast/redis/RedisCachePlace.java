package dev.holdfast.redis;

import dev.holdfast.cache.CacheStore;
import dev.holdfast.lease.spi.LeaseStore;
import dev.holdfast.testing.contract.CacheStoreFixture;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;

/** A place for cached values and leases in Redis: a prefix of its own. */
final class RedisCachePlace implements CacheStoreFixture {
  private final String prefix = "test-" + UUID.randomUUID();
  private final Function<RedisCacheOptions, RedisCacheStore> opening;
  private final Function<RedisLeaseOptions, RedisLeaseStore> openingLeases;
  private final Consumer<String> deleting;

  /**
   * @param deleting deletes all keys of this pattern
   */
  RedisCachePlace(
      Function<RedisCacheOptions, RedisCacheStore> opening,
      Function<RedisLeaseOptions, RedisLeaseStore> openingLeases,
      Consumer<String> deleting) {
    this.opening = opening;
    this.openingLeases = openingLeases;
    this.deleting = deleting;
  }

  @Override
  public CacheStore open() {
    return opening.apply(RedisCacheOptions.DEFAULTS.withPrefix(prefix));
  }

  @Override
  public LeaseStore openLeases() {
    return openingLeases.apply(RedisLeaseOptions.DEFAULTS.withPrefix(prefix));
  }

  @Override
  public boolean tells() {
    return true;
  }

  @Override
  public void loseEverything() {
    deleting.accept(prefix + ":*");
  }

  /** The stores are left to those threads that still use them; the client closes them. */
  @Override
  public void close() {}
}
