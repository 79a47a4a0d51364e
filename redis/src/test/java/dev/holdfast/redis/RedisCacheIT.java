package dev.holdfast.redis;

import dev.holdfast.testing.TestRedis;
import dev.holdfast.testing.contract.CacheFaultContract;
import dev.holdfast.testing.contract.CacheNotificationContract;
import dev.holdfast.testing.contract.CacheStaleContract;
import dev.holdfast.testing.contract.CacheStoreContract;
import dev.holdfast.testing.contract.CacheStoreFixture;
import dev.holdfast.testing.contract.SharedCacheContract;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/** The shared cache keeps its contracts on Redis. */
class RedisCacheIT {
  private static RedisClient client;
  private static StatefulRedisConnection<String, String> connection;

  @BeforeAll
  static void connect() {
    client = RedisClient.create(TestRedis.uri().toString());
    connection = client.connect();
  }

  @AfterAll
  static void close() {
    client.shutdown();
  }

  private static CacheStoreFixture place() {
    return new RedisCachePlace(
        options -> RedisCacheStore.using(client, options),
        options -> RedisLeaseStore.using(client, options),
        pattern -> connection.sync().keys(pattern).forEach(key -> connection.sync().del(key)));
  }

  @Nested
  class Store extends CacheStoreContract {
    Store() {
      super(RedisCacheIT::place);
    }
  }

  @Nested
  class Telling extends CacheNotificationContract {
    Telling() {
      super(RedisCacheIT::place);
    }
  }

  @Nested
  class Use extends SharedCacheContract {
    Use() {
      super(RedisCacheIT::place);
    }
  }

  @Nested
  class Stale extends CacheStaleContract {
    Stale() {
      super(RedisCacheIT::place);
    }
  }

  @Nested
  class Faults extends CacheFaultContract {
    Faults() {
      super(RedisCacheIT::place);
    }
  }
}
