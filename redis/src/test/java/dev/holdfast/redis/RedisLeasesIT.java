package dev.holdfast.redis;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestRedis;
import dev.holdfast.testing.contract.JobsContract;
import dev.holdfast.testing.contract.LeaseLossContract;
import dev.holdfast.testing.contract.LeaseNotificationContract;
import dev.holdfast.testing.contract.LeaseOfferContract;
import dev.holdfast.testing.contract.LeaseStoreContract;
import dev.holdfast.testing.contract.LeaseStoreFixture;
import dev.holdfast.testing.contract.LeaseStormContract;
import dev.holdfast.testing.contract.LeasesContract;
import dev.holdfast.testing.contract.SharedLeasesContract;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/** Leases keep their contracts on Redis. */
class RedisLeasesIT {
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

  private static LeaseStoreFixture place() {
    return new RedisPlace(
        options -> RedisLeaseStore.using(client, options),
        pattern -> connection.sync().keys(pattern).forEach(key -> connection.sync().del(key)));
  }

  @Nested
  class Store extends LeaseStoreContract {
    Store() {
      super(RedisLeasesIT::place);
    }
  }

  @Nested
  class Shared extends SharedLeasesContract {
    Shared() {
      super(RedisLeasesIT::place);
    }
  }

  @Nested
  class Telling extends LeaseNotificationContract {
    Telling() {
      super(RedisLeasesIT::place);
    }
  }

  @Nested
  class Offers extends LeaseOfferContract {
    Offers() {
      super(RedisLeasesIT::place);
    }
  }

  @Nested
  class Use extends LeasesContract {
    Use() {
      super(RedisLeasesIT::place);
    }
  }

  @Nested
  class Loss extends LeaseLossContract {
    Loss() {
      super(RedisLeasesIT::place);
    }
  }

  @Nested
  class Storm extends LeaseStormContract {
    Storm() {
      super(RedisLeasesIT::place);
    }
  }

  /** The leases are here, and the record of the jobs in a database. */
  @Nested
  class Jobs extends JobsContract {
    Jobs() {
      super(
          TestDatabase.h2(),
          schema ->
              RedisLeaseStore.using(
                  client, RedisLeaseOptions.DEFAULTS.withPrefix("jobs-" + schema.name())));
    }
  }
}
