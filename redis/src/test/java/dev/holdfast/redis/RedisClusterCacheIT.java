package dev.holdfast.redis;

import dev.holdfast.testing.contract.CacheFaultContract;
import dev.holdfast.testing.contract.CacheNotificationContract;
import dev.holdfast.testing.contract.CacheStaleContract;
import dev.holdfast.testing.contract.CacheStoreContract;
import dev.holdfast.testing.contract.CacheStoreFixture;
import dev.holdfast.testing.contract.SharedCacheContract;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/** The shared cache keeps its contracts on three masters, real processes. */
class RedisClusterCacheIT {
  private static TestCluster cluster;
  private static RedisClusterClient client;
  private static StatefulRedisClusterConnection<String, String> connection;

  @BeforeAll
  static void connect() {
    cluster = TestCluster.start();
    client = RedisClusterClient.create(cluster.uri());
    connection = client.connect();
  }

  @AfterAll
  static void close() {
    client.shutdown();
    cluster.close();
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
      super(RedisClusterCacheIT::place);
    }
  }

  @Nested
  class Telling extends CacheNotificationContract {
    Telling() {
      super(RedisClusterCacheIT::place);
    }
  }

  @Nested
  class Use extends SharedCacheContract {
    Use() {
      super(RedisClusterCacheIT::place);
    }
  }

  @Nested
  class Stale extends CacheStaleContract {
    Stale() {
      super(RedisClusterCacheIT::place);
    }
  }

  @Nested
  class Faults extends CacheFaultContract {
    Faults() {
      super(RedisClusterCacheIT::place);
    }
  }
}
