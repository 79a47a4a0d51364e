package dev.holdfast.redis;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.List;

/**
 * The Redis that several processes share, seen from one of them.
 *
 * @param kind {@code cluster}, or {@code single} for one that is addressed, or named by a Sentinel
 * @param prefix of all keys
 */
record ProcessesRedis(AbstractRedisClient client, String kind, String uri, String prefix)
    implements AutoCloseable {
  static ProcessesRedis open(String kind, String uri, String prefix) {
    AbstractRedisClient client =
        kind.equals("cluster") ? RedisClusterClient.create(uri) : RedisClient.create(uri);
    return new ProcessesRedis(client, kind, uri, prefix);
  }

  /** What {@link #main} of another process was given. */
  static ProcessesRedis of(String[] arguments) {
    return open(arguments[0], arguments[1], arguments[2]);
  }

  /** A main class, and arguments by which it finds the same. */
  List<String> main(Class<?> type) {
    return List.of(type.getName(), kind, uri, prefix);
  }

  RedisIdempotencyStore records() {
    RedisIdempotencyOptions options = RedisIdempotencyOptions.DEFAULTS.withPrefix(prefix);
    return client instanceof RedisClusterClient cluster
        ? RedisIdempotencyStore.using(cluster, options)
        : RedisIdempotencyStore.using((RedisClient) client, options);
  }

  RedisLeaseStore leases() {
    RedisLeaseOptions options = RedisLeaseOptions.DEFAULTS.withPrefix(prefix);
    return client instanceof RedisClusterClient cluster
        ? RedisLeaseStore.using(cluster, options)
        : RedisLeaseStore.using((RedisClient) client, options);
  }

  @Override
  public void close() {
    client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
  }
}
