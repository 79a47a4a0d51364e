package dev.holdfast.redis;

import dev.holdfast.internal.Require;
import java.time.Duration;

/**
 * How idempotency records are kept in Redis. Immutable; each {@code with…} gives a changed copy.
 *
 * @param prefix with what all keys begin; all who share records must say the same. Default {@code
 *     holdfast}
 * @param timeout how long an answer is waited for; after it the outcome is unknown. Default 2 s
 * @param replicas how many replicas must have a claim, a step or an answer before it counts.
 *     Default 0: none
 * @param replicaTimeout how long they are waited for. Default 500 ms
 */
public record RedisIdempotencyOptions(
    String prefix, Duration timeout, int replicas, Duration replicaTimeout) {
  private static final Duration MIN = Duration.ofMillis(10);

  /** What is used where nothing else is said. */
  public static final RedisIdempotencyOptions DEFAULTS =
      new RedisIdempotencyOptions("holdfast", Duration.ofSeconds(2), 0, Duration.ofMillis(500));

  /**
   * @throws dev.holdfast.InvalidArgumentException where something is refused
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

  /** Makes a claim, a step and an answer count only when so many replicas have it. */
  public RedisIdempotencyOptions withReplicas(int atLeast, Duration within) {
    return new RedisIdempotencyOptions(prefix, timeout, atLeast, within);
  }
}
