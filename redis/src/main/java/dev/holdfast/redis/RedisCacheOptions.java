package dev.holdfast.redis;

import dev.holdfast.internal.Require;
import java.time.Duration;

/**
 * How cached values are kept in Redis. Immutable; each {@code with…} gives a changed copy.
 *
 * @param prefix with what all keys and the channel begin; all who share values must say the same.
 *     Default {@code holdfast}
 * @param timeout how long an answer is waited for; after it the outcome is unknown. Default 2 s
 */
public record RedisCacheOptions(String prefix, Duration timeout) {
  /** What is used where nothing else is said. */
  public static final RedisCacheOptions DEFAULTS =
      new RedisCacheOptions("holdfast", Duration.ofSeconds(2));

  /**
   * @throws dev.holdfast.InvalidArgumentException where something is refused
   */
  public RedisCacheOptions {
    KeyPrefix.require(prefix);
    Require.between(
        timeout, Duration.ofMillis(10), Duration.ofMinutes(1), "the timeout of commands");
  }

  public RedisCacheOptions withPrefix(String newPrefix) {
    return new RedisCacheOptions(newPrefix, timeout);
  }

  public RedisCacheOptions withTimeout(Duration newTimeout) {
    return new RedisCacheOptions(prefix, newTimeout);
  }
}
