package dev.holdfast.redis;

import dev.holdfast.idempotency.spi.IdempotencyStore;
import dev.holdfast.testing.contract.IdempotencyStoreFixture;
import java.util.UUID;
import java.util.function.Function;

/** A place for idempotency records in Redis: a prefix of its own. */
final class RedisIdempotencyFixture implements IdempotencyStoreFixture {
  private final RedisIdempotencyOptions options =
      RedisIdempotencyOptions.DEFAULTS.withPrefix("test-" + UUID.randomUUID());
  private final Function<RedisIdempotencyOptions, RedisIdempotencyStore> opening;

  RedisIdempotencyFixture(Function<RedisIdempotencyOptions, RedisIdempotencyStore> opening) {
    this.opening = opening;
  }

  @Override
  public IdempotencyStore open() {
    return opening.apply(options);
  }

  @Override
  public boolean transactional() {
    return false;
  }

  @Override
  public boolean deletesByItself() {
    return true;
  }

  /** The stores are left to those threads that still give back claims; the client closes them. */
  @Override
  public void close() {}
}
