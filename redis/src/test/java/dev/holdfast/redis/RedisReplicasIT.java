package dev.holdfast.redis;

import static dev.holdfast.redis.Asking.name;
import static dev.holdfast.redis.Asking.token;
import static dev.holdfast.redis.Asking.untilChange;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.holdfast.StoreException;
import dev.holdfast.lease.LeaseRequest.Target;
import dev.holdfast.lease.spi.LeaseStore.ReleaseResult;
import dev.holdfast.lease.spi.LeaseStore.Successor;
import dev.holdfast.testing.KillableRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class RedisReplicasIT {
  private static KillableRedis master;
  private static KillableRedis replica;
  private static RedisClient client;
  private static RedisLeaseStore store;

  @BeforeAll
  static void connect() {
    master = KillableRedis.start("--repl-diskless-sync-delay", "0");
    replica = KillableRedis.start("--replicaof", "127.0.0.1", Integer.toString(master.port()));
    client = RedisClient.create(master.uri());
    store =
        RedisLeaseStore.using(
            client, RedisLeaseOptions.DEFAULTS.withReplicas(1, Duration.ofMillis(300)));
    try (StatefulRedisConnection<String, String> connection = client.connect()) {
      await().until(() -> connection.sync().info("replication").contains("state=online"));
    }
  }

  @AfterAll
  static void close() {
    store.close();
    client.shutdown();
    replica.close();
    master.close();
  }

  @Test
  void replicatesGrantWithUnknownScript() {
    try (StatefulRedisConnection<String, String> connection = client.connect()) {
      connection.sync().scriptFlush();
    }
    Asking one = Asking.of(Target.exclusive(name()));
    token(store.acquire(one.request()));
    try (StatefulRedisConnection<String, String> connection =
        client.connect(RedisURI.create(replica.uri()))) {
      RedisCommands<String, String> commands = connection.sync();
      assertThat(commands.keys("*" + one.key().name() + "*")).hasSize(1);
    }
    untilChange(store.acquire(Asking.of(one.target()).request()));
  }

  @Test
  void nothingIsHandedOverPastTheReplicas() {
    Asking one = Asking.of(Target.exclusive(name()));
    Asking two = Asking.of(one.target());
    token(store.acquire(one.request()));
    assertThat(store.release(one.hold(), new Successor(two.request(), true)))
        .isEqualTo(new ReleaseResult.Released());
    token(store.acquire(two.request()));
  }

  @Test
  void aGrantThatTooFewReplicasHaveIsNone() {
    try (RedisLeaseStore demanding =
            RedisLeaseStore.using(
                client, RedisLeaseOptions.DEFAULTS.withReplicas(2, Duration.ofMillis(100)));
        RedisLeaseStore modest = RedisLeaseStore.using(client)) {
      for (Target target : new Target[] {Target.exclusive(name()), Target.permits(name(), 1, 1)}) {
        Asking one = Asking.of(target);
        StoreException refused =
            catchThrowableOfType(StoreException.class, () -> demanding.acquire(one.request()));
        assertThat(refused.isRetryable()).isTrue();
        assertThat(refused).hasMessageContaining("2 replicas").hasMessageContaining("but 1 had it");
        token(modest.acquire(Asking.of(target).request()));
      }
    }
  }
}
