package dev.holdfast.redis;

import dev.holdfast.Holdfast;
import dev.holdfast.testing.contract.CacheTestProcess;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.IOException;

/** An instance with a shared cache in Redis, as a process of its own. */
final class RedisCacheMain {
  private RedisCacheMain() {}

  public static void main(String[] args) throws IOException {
    String prefix = args[1];
    RedisClient client = RedisClient.create(args[0]);
    StatefulRedisConnection<String, String> connection = client.connect();
    CacheTestProcess.run(
        Holdfast.createLeases(
            RedisLeaseStore.using(client, RedisLeaseOptions.DEFAULTS.withPrefix(prefix))),
        RedisCacheStore.using(client, RedisCacheOptions.DEFAULTS.withPrefix(prefix)),
        key -> connection.sync().incr(prefix + ":loads:" + key).intValue() - 1);
    client.shutdown();
  }
}
