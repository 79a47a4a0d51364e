package dev.holdfast.redis;

import static dev.holdfast.redis.Asking.name;
import static dev.holdfast.redis.Asking.token;
import static dev.holdfast.redis.Asking.untilChange;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.StoreException;
import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseRecord;
import dev.holdfast.lease.LeaseRequest.Target;
import dev.holdfast.lease.spi.LeaseStore.ReleaseResult;
import dev.holdfast.lease.spi.LeaseStore.Subscription;
import dev.holdfast.lease.spi.LeaseStore.Successor;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.JobsContract;
import dev.holdfast.testing.contract.LeaseDefectsContract;
import dev.holdfast.testing.contract.LeaseInputContract;
import dev.holdfast.testing.contract.LeaseLossContract;
import dev.holdfast.testing.contract.LeaseNotificationContract;
import dev.holdfast.testing.contract.LeaseOfferContract;
import dev.holdfast.testing.contract.LeaseReleaseContract;
import dev.holdfast.testing.contract.LeaseStoreContract;
import dev.holdfast.testing.contract.LeaseStoreFixture;
import dev.holdfast.testing.contract.LeaseStormContract;
import dev.holdfast.testing.contract.LeaseThreadsContract;
import dev.holdfast.testing.contract.LeasesContract;
import dev.holdfast.testing.contract.SharedLeasesContract;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Three masters, real processes. */
class RedisClusterLeasesIT {
  private static TestCluster cluster;
  private static RedisClusterClient client;
  private static RedisLeaseStore store;
  private static StatefulRedisClusterConnection<String, String> connection;

  @BeforeAll
  static void connect() {
    cluster = TestCluster.start();
    client = RedisClusterClient.create(cluster.uri());
    store = RedisLeaseStore.using(client);
    connection = client.connect();
  }

  @AfterAll
  static void close() {
    store.close();
    client.shutdown();
    cluster.close();
  }

  @Test
  void everyKindWorksOnEveryNode() {
    String name = name();
    var masters = new TreeSet<Integer>();
    for (int i = 0; i < 20; i++) {
      String odd = "}{" + name + i;
      for (Target target :
          List.of(
              Target.exclusive(odd),
              Target.write(name + i),
              Target.permits("{" + name + i + "}", 1, 1))) {
        masters.add(SlotHash.getSlot(new LeaseKeys("holdfast").state(target.key())) / 5462);
        Asking one = Asking.of(target);
        Asking two = Asking.of(target);
        Asking three = Asking.of(target);
        long first = token(store.acquire(one.request()));
        untilChange(store.acquire(two.queued()));
        assertThat(store.renew(one.hold(), Asking.LEASE)).isEqualTo(Lease.RenewResult.RENEWED);
        assertThat(store.release(one.hold(), null)).isEqualTo(new ReleaseResult.Released());
        assertThat(token(store.acquire(two.queued()))).isGreaterThan(first);
        untilChange(store.acquire(three.waiting()));
        assertThat(store.find(target.key()).orElseThrow().waiters()).hasSize(1);
        assertThat(store.forceRelease(target.key())).isPresent();
      }
    }
    assertThat(masters).hasSize(3);
  }

  @Test
  void theListIsOfAllNodes() {
    String name = name();
    List<String> names = new ArrayList<>();
    for (int i = 10; i < 40; i++) {
      names.add(name + i);
      token(store.acquire(Asking.of(Target.exclusive(name + i)).request()));
    }
    assertThat(store.list(name, null, 1000))
        .extracting(LeaseRecord::key)
        .extracting("name")
        .isEqualTo(names);
  }

  @Test
  void oneConnectionHearsOfReleasesOnAllNodes() {
    Heard heard = new Heard();
    String name = name();
    try (Subscription subscription = store.subscribe(heard)) {
      await().until(subscription::isActive);
      for (int i = 0; i < 12; i++) {
        Target target = Target.exclusive(name + i);
        Asking one = Asking.of(target);
        token(store.acquire(one.request()));
        untilChange(store.acquire(Asking.of(target, "b").waiting()));
        store.release(one.hold(), new Successor(Asking.of(target).request(), true));
        await().until(() -> !heard.of(target.key()).isEmpty());
      }
    }
  }

  @Test
  void aGrantThatNoReplicaHasIsNone() {
    RedisLeaseOptions options = RedisLeaseOptions.DEFAULTS.withReplicas(1, Duration.ofMillis(50));
    try (RedisLeaseStore demanding = RedisLeaseStore.using(client, options)) {
      String name = name();
      for (int i = 0; i < 6; i++) {
        Asking one = Asking.of(Target.exclusive(name + i));
        assertThatThrownBy(() -> demanding.acquire(one.request()))
            .isInstanceOf(StoreException.class)
            .hasMessageContaining("but 0 had it");
        token(store.acquire(Asking.of(one.target()).request()));
      }
    }
  }

  private static LeaseStoreFixture place() {
    return new RedisPlace(
        options -> RedisLeaseStore.using(client, options),
        pattern -> connection.sync().keys(pattern).forEach(key -> connection.sync().del(key)));
  }

  @Nested
  class Store extends LeaseStoreContract {
    Store() {
      super(RedisClusterLeasesIT::place);
    }
  }

  @Nested
  class Shared extends SharedLeasesContract {
    Shared() {
      super(RedisClusterLeasesIT::place);
    }
  }

  @Nested
  class Telling extends LeaseNotificationContract {
    Telling() {
      super(RedisClusterLeasesIT::place);
    }
  }

  @Nested
  class Offers extends LeaseOfferContract {
    Offers() {
      super(RedisClusterLeasesIT::place);
    }
  }

  @Nested
  class Storm extends LeaseStormContract {
    Storm() {
      super(RedisClusterLeasesIT::place);
    }
  }

  @Nested
  class Use extends LeasesContract {
    Use() {
      super(RedisClusterLeasesIT::place);
    }
  }

  @Nested
  class Loss extends LeaseLossContract {
    Loss() {
      super(RedisClusterLeasesIT::place);
    }
  }

  @Nested
  class Defects extends LeaseDefectsContract {
    Defects() {
      super(RedisClusterLeasesIT::place);
    }
  }

  @Nested
  class GivingBack extends LeaseReleaseContract {
    GivingBack() {
      super(RedisClusterLeasesIT::place);
    }
  }

  @Nested
  class Threads extends LeaseThreadsContract {
    Threads() {
      super(RedisClusterLeasesIT::place);
    }
  }

  @Nested
  class Input extends LeaseInputContract {
    Input() {
      super(RedisClusterLeasesIT::place);
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
