package dev.holdfast.redis;

import dev.holdfast.testing.TestRedis;
import dev.holdfast.testing.contract.CacheProcessesContract;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.List;
import java.util.UUID;

/** The shared cache on Redis in several processes. */
class RedisCacheProcessesIT extends CacheProcessesContract {
  RedisCacheProcessesIT() {
    super(RedisCacheProcessesIT::place);
  }

  private static Place place() {
    String prefix = "test-" + UUID.randomUUID();
    RedisClient client = RedisClient.create(TestRedis.uri().toString());
    StatefulRedisConnection<String, String> connection = client.connect();
    return new Place() {
      @Override
      public List<String> main() {
        return List.of(RedisCacheMain.class.getName(), TestRedis.uri().toString(), prefix);
      }

      @Override
      public int loads(String key) {
        return Integer.parseInt(connection.sync().get(prefix + ":loads:" + key));
      }

      @Override
      public void close() {
        client.shutdown();
      }
    };
  }
}
