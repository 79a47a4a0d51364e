package dev.holdfast.redis;

import dev.holdfast.internal.Require;
import java.time.Duration;

/**
 * The options of a {@link RedisIdempotencyStore}. Immutable; each {@code with…} returns a changed
 * copy.
 *
 * @param prefix the beginning of all keys; the same for all processes that share records. Default
 *     {@code holdfast}
 * @param timeout the maximum wait for a reply; after it the outcome is unknown. Default 2 s
 * @param replicas how many replicas must acknowledge a claim, a step or a result. Default 0
 * @param replicaTimeout the maximum wait for replicas. Default 500 ms
 */
public record RedisIdempotencyOptions(
    String prefix, Duration timeout, int replicas, Duration replicaTimeout) {
  private static final Duration MIN = Duration.ofMillis(10);

  /** The defaults of all options. */
  public static final RedisIdempotencyOptions DEFAULTS =
      new RedisIdempotencyOptions("holdfast", Duration.ofSeconds(2), 0, Duration.ofMillis(500));

  /**
   * @throws dev.holdfast.InvalidArgumentException if a value is out of range
   */
  public RedisIdempotencyOptions {
    KeyPrefix.require(prefix);
    Require.between(timeout, MIN, Duration.ofMinutes(1), "the timeout of commands");
    Require.between(replicas, 0, 100, "the number of replicas to wait for");
    Require.between(replicaTimeout, MIN, timeout, "the time to wait for replicas");
  }

  public RedisIdempotencyOptions withPrefix(String newPrefix) {
    return new RedisIdempotencyOptions(newPrefix, timeout, replicas, replicaTimeout);
  }

  public RedisIdempotencyOptions withTimeout(Duration newTimeout) {
    Duration waiting =
        newTimeout != null && newTimeout.compareTo(replicaTimeout) < 0
            ? newTimeout
            : replicaTimeout;
    return new RedisIdempotencyOptions(prefix, newTimeout, replicas, waiting);
  }

  /** Requires this many replicas to acknowledge a claim, a step and a result. */
  public RedisIdempotencyOptions withReplicas(int atLeast, Duration within) {
    return new RedisIdempotencyOptions(prefix, timeout, atLeast, within);
  }
}
