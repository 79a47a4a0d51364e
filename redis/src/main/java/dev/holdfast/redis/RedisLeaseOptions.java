package dev.holdfast.redis;

import dev.holdfast.internal.Require;
import java.time.Duration;

/**
 * How leases are kept in Redis. Immutable; each {@code with…} gives a changed copy.
 *
 * @param prefix with what all keys and the channel begin; all who share leases must say the same.
 *     Default {@code holdfast}
 * @param timeout how long an answer is waited for; after it the outcome is unknown. Default 2 s
 * @param memory for how long the last token of a lease is remembered after its end, which matters
 *     only where the server's clock steps back. Default 1 day
 * @param replicas how many replicas must have a grant before it counts. Default 0: none
 * @param replicaTimeout how long they are waited for. Default 500 ms
 */
public record RedisLeaseOptions(
    String prefix, Duration timeout, Duration memory, int replicas, Duration replicaTimeout) {
  private static final Duration MIN = Duration.ofMillis(10);

  /** What is used where nothing else is said. */
  public static final RedisLeaseOptions DEFAULTS =
      new RedisLeaseOptions(
          "holdfast", Duration.ofSeconds(2), Duration.ofDays(1), 0, Duration.ofMillis(500));

  /**
   * @throws dev.holdfast.InvalidArgumentException where something is refused
   */
  public RedisLeaseOptions {
    KeyPrefix.require(prefix);
    Require.between(timeout, MIN, Duration.ofMinutes(1), "the timeout of commands");
    Require.between(memory, Duration.ofMinutes(1), Duration.ofDays(365), "the memory of tokens");
    Require.between(replicas, 0, 100, "the number of replicas to wait for");
    Require.between(replicaTimeout, MIN, timeout, "the time to wait for replicas");
  }

  public RedisLeaseOptions withPrefix(String newPrefix) {
    return new RedisLeaseOptions(newPrefix, timeout, memory, replicas, replicaTimeout);
  }

  public RedisLeaseOptions withTimeout(Duration newTimeout) {
    Duration waiting =
        newTimeout != null && newTimeout.compareTo(replicaTimeout) < 0
            ? newTimeout
            : replicaTimeout;
    return new RedisLeaseOptions(prefix, newTimeout, memory, replicas, waiting);
  }

  public RedisLeaseOptions withMemory(Duration newMemory) {
    return new RedisLeaseOptions(prefix, timeout, newMemory, replicas, replicaTimeout);
  }

  /** Makes a grant count only when so many replicas have it; else it is given back. */
  public RedisLeaseOptions withReplicas(int atLeast, Duration within) {
    return new RedisLeaseOptions(prefix, timeout, memory, atLeast, within);
  }
}
