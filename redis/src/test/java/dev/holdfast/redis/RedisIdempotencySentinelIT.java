package dev.holdfast.redis;

import static dev.holdfast.redis.IdempotencyRequests.DAY;
import static dev.holdfast.redis.IdempotencyRequests.DONE;
import static dev.holdfast.redis.IdempotencyRequests.LEASE;
import static dev.holdfast.redis.IdempotencyRequests.flow;
import static dev.holdfast.redis.IdempotencyRequests.granted;
import static dev.holdfast.redis.IdempotencyRequests.hold;
import static dev.holdfast.redis.IdempotencyRequests.key;
import static dev.holdfast.redis.IdempotencyRequests.request;
import static dev.holdfast.redis.IdempotencyRequests.step;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.StoreException;
import dev.holdfast.idempotency.spi.IdempotencyStore.Attempts;
import dev.holdfast.idempotency.spi.IdempotencyStore.ClaimRequest;
import dev.holdfast.idempotency.spi.IdempotencyStore.ClaimResult;
import dev.holdfast.testing.KillableRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A master, its replica and a Sentinel, real processes; the master is killed. */
class RedisIdempotencySentinelIT {
  @Test
  void newMasterKeepsRecords() {
    try (KillableRedis master = KillableRedis.start("--repl-diskless-sync-delay", "0");
        KillableRedis replica =
            KillableRedis.start("--replicaof", "127.0.0.1", Integer.toString(master.port()));
        KillableRedis sentinel = KillableRedis.sentinel("leases", master.port())) {
      RedisURI uri = RedisURI.create("redis-sentinel://127.0.0.1:" + sentinel.port() + "#leases");
      RedisClient client = RedisClient.create(uri);
      RedisSentinelIT.awaitReplica(client, RedisURI.create(replica.uri()), uri);
      try (RedisIdempotencyStore store =
              RedisIdempotencyStore.using(
                  client, RedisIdempotencyOptions.DEFAULTS.withReplicas(1, Duration.ofSeconds(2)));
          RedisIdempotencyStore bare = RedisIdempotencyStore.using(client)) {
        ClaimRequest held = flow(key(), "f");
        granted(store, held);
        store.record(hold(held), step("a"), LEASE);
        ClaimRequest done = request(key());
        granted(store, done);
        store.complete(hold(done), DONE, DAY);

        master.kill();

        await()
            .atMost(Duration.ofSeconds(60))
            .ignoreExceptionsInstanceOf(StoreException.class)
            .until(() -> bare.renew(hold(held), LEASE));
        assertThat(bare.claim(flow(held.key(), "f"))).isInstanceOf(ClaimResult.InProgress.class);
        assertThat(bare.claim(request(done.key())))
            .isEqualTo(new ClaimResult.Completed(DONE, done.ownerId()));
        bare.release(hold(held), Duration.ZERO);
        assertThat(bare.interrupted(List.of("f"), Attempts.below(10), 10)).hasSize(1);
        assertThat(granted(bare, flow(held.key(), "f")).steps()).containsExactly(step("a"));
      } finally {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
      }
    }
  }
}
