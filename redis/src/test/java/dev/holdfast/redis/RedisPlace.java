package dev.holdfast.redis;

import dev.holdfast.lease.spi.LeaseStore;
import dev.holdfast.testing.contract.LeaseStoreFixture;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;

/** A place for leases in Redis: a prefix of its own. */
final class RedisPlace implements LeaseStoreFixture {
  private final RedisLeaseOptions options =
      RedisLeaseOptions.DEFAULTS.withPrefix("test-" + UUID.randomUUID());
  private final Function<RedisLeaseOptions, RedisLeaseStore> opening;
  private final Consumer<String> deleting;

  /**
   * @param deleting deletes all keys of this pattern
   */
  RedisPlace(Function<RedisLeaseOptions, RedisLeaseStore> opening, Consumer<String> deleting) {
    this.opening = opening;
    this.deleting = deleting;
  }

  @Override
  public LeaseStore open() {
    return opening.apply(options);
  }

  @Override
  public boolean tells() {
    return true;
  }

  /** The pattern of all its keys. */
  String pattern() {
    return options.prefix() + ":*";
  }

  @Override
  public void loseEverything() {
    deleting.accept(pattern());
  }

  /** The stores are left to those threads that still give back leases; the client closes them. */
  @Override
  public void close() {}
}
