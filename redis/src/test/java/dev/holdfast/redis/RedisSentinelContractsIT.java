package dev.holdfast.redis;

import dev.holdfast.testing.contract.IdempotencyStoreContract;
import dev.holdfast.testing.contract.IdempotencyStoreFixture;
import dev.holdfast.testing.contract.LeaseLossContract;
import dev.holdfast.testing.contract.LeaseNotificationContract;
import dev.holdfast.testing.contract.LeaseStoreContract;
import dev.holdfast.testing.contract.LeaseStoreFixture;
import dev.holdfast.testing.contract.LeaseStormContract;
import dev.holdfast.testing.contract.LeasesContract;
import dev.holdfast.testing.contract.SharedLeasesContract;
import dev.holdfast.testing.contract.WorkflowContract;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/** Leases and claims keep their contracts where a Sentinel says who the master is. */
class RedisSentinelContractsIT {
  private static TestSentinel sentinel;
  private static RedisClient client;
  private static StatefulRedisConnection<String, String> connection;

  @BeforeAll
  static void connect() {
    sentinel = TestSentinel.start();
    client = RedisClient.create(sentinel.uri());
    connection = client.connect();
  }

  @AfterAll
  static void close() {
    client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
    sentinel.close();
  }

  private static LeaseStoreFixture place() {
    return new RedisPlace(
        options -> RedisLeaseStore.using(client, options),
        pattern -> connection.sync().keys(pattern).forEach(key -> connection.sync().del(key)));
  }

  private static IdempotencyStoreFixture records() {
    return new RedisIdempotencyFixture(options -> RedisIdempotencyStore.using(client, options));
  }

  @Nested
  class Store extends LeaseStoreContract {
    Store() {
      super(RedisSentinelContractsIT::place);
    }
  }

  @Nested
  class Shared extends SharedLeasesContract {
    Shared() {
      super(RedisSentinelContractsIT::place);
    }
  }

  @Nested
  class Telling extends LeaseNotificationContract {
    Telling() {
      super(RedisSentinelContractsIT::place);
    }
  }

  @Nested
  class Use extends LeasesContract {
    Use() {
      super(RedisSentinelContractsIT::place);
    }
  }

  @Nested
  class Loss extends LeaseLossContract {
    Loss() {
      super(RedisSentinelContractsIT::place);
    }
  }

  @Nested
  class Storm extends LeaseStormContract {
    Storm() {
      super(RedisSentinelContractsIT::place);
    }
  }

  @Nested
  class Records extends IdempotencyStoreContract {
    Records() {
      super(RedisSentinelContractsIT::records);
    }
  }

  @Nested
  class Workflows extends WorkflowContract {
    Workflows() {
      super(RedisSentinelContractsIT::records);
    }
  }
}
