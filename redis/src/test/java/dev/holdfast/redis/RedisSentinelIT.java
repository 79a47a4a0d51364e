package dev.holdfast.redis;

import static dev.holdfast.redis.Asking.name;
import static dev.holdfast.redis.Asking.token;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.StoreException;
import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseRequest.Target;
import dev.holdfast.lease.spi.LeaseStore.ReleaseResult;
import dev.holdfast.lease.spi.LeaseStore.Subscription;
import dev.holdfast.testing.KillableRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.sentinel.api.StatefulRedisSentinelConnection;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A master, its replica and a Sentinel, real processes; the master is killed. */
class RedisSentinelIT {
  @Test
  void newMasterKeepsLeases() {
    try (KillableRedis master = KillableRedis.start("--repl-diskless-sync-delay", "0");
        KillableRedis replica =
            KillableRedis.start("--replicaof", "127.0.0.1", Integer.toString(master.port()));
        KillableRedis sentinel = KillableRedis.sentinel("leases", master.port())) {
      RedisURI uri = RedisURI.create("redis-sentinel://127.0.0.1:" + sentinel.port() + "#leases");
      RedisClient client = RedisClient.create(uri);
      awaitReplica(client, RedisURI.create(replica.uri()), uri);
      try (RedisLeaseStore store =
          RedisLeaseStore.using(
              client, RedisLeaseOptions.DEFAULTS.withReplicas(1, Duration.ofSeconds(2)))) {
        Heard heard = new Heard();
        Subscription subscription = store.subscribe(heard);
        await().until(subscription::isActive);
        Asking one = Asking.of(Target.exclusive(name()));
        Asking two = Asking.of(one.target());
        long first = token(store.acquire(one.request()));

        master.kill();

        await()
            .atMost(Duration.ofSeconds(20))
            .ignoreExceptionsInstanceOf(StoreException.class)
            .until(() -> store.renew(one.hold(), Asking.LEASE) == Lease.RenewResult.RENEWED);
        assertThat(store.release(one.hold(), null)).isEqualTo(new ReleaseResult.Released());
        await().atMost(Duration.ofSeconds(20)).until(subscription::isActive);
        assertThat(heard.missedTimes()).isEqualTo(2);
        // there is no replica left that could have it
        assertThatThrownBy(() -> store.acquire(two.request()))
            .isInstanceOf(StoreException.class)
            .hasMessageContaining("1 replicas must have the grant");
        try (RedisLeaseStore bare = RedisLeaseStore.using(client)) {
          assertThat(token(bare.acquire(two.request()))).isGreaterThan(first);
        }
        subscription.close();
      } finally {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
      }
    }
  }

  static void awaitReplica(RedisClient client, RedisURI replica, RedisURI sentinel) {
    try (StatefulRedisConnection<String, String> connection = client.connect(replica)) {
      await().until(() -> connection.sync().info("replication").contains("master_link_status:up"));
    }
    try (StatefulRedisSentinelConnection<String, String> connection =
        client.connectSentinel(sentinel)) {
      await()
          .atMost(Duration.ofSeconds(20))
          .until(() -> !connection.sync().replicas("leases").isEmpty());
    }
  }
}
