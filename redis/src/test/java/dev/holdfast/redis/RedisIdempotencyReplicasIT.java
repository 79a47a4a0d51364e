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
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.holdfast.StoreException;
import dev.holdfast.idempotency.IdempotencyRecord.Status;
import dev.holdfast.idempotency.spi.IdempotencyStore.ClaimRequest;
import dev.holdfast.idempotency.spi.IdempotencyStore.ClaimResult;
import dev.holdfast.testing.KillableRedis;
import dev.holdfast.testing.TcpProxy;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Workflows, steps and answers count when the replicas have them, where that is asked for. */
class RedisIdempotencyReplicasIT {
  private static KillableRedis master;
  private static TcpProxy toReplica;
  private static KillableRedis replica;
  private static RedisClient client;
  private static RedisIdempotencyStore store;
  private static StatefulRedisConnection<String, String> onReplica;

  @BeforeAll
  static void connect() {
    master = KillableRedis.start("--repl-diskless-sync-delay", "0");
    toReplica = TcpProxy.before(master.uri());
    replica = replicaOf(toReplica.url());
    client = RedisClient.create(master.uri());
    store = open(1, Duration.ofSeconds(2));
    onReplica = client.connect(RedisURI.create(replica.uri()));
    try (StatefulRedisConnection<String, String> connection = client.connect()) {
      await().until(() -> connection.sync().info("replication").contains("state=online"));
    }
  }

  private static KillableRedis replicaOf(String uri) {
    return KillableRedis.start(
        "--replicaof", "127.0.0.1", Integer.toString(URI.create(uri).getPort()));
  }

  private static RedisIdempotencyStore open(int replicas, Duration within) {
    return RedisIdempotencyStore.using(
        client, RedisIdempotencyOptions.DEFAULTS.withReplicas(replicas, within));
  }

  @AfterAll
  static void close() {
    store.close();
    client.shutdown();
    replica.close();
    toReplica.close();
    master.close();
  }

  private static String replicated(ClaimRequest request, String field) {
    return onReplica
        .sync()
        .hget(new String(new RecordKeys("holdfast").record(request.key()), UTF_8), field);
  }

  @Test
  void replicatesResultWithUnknownScript() {
    for (int i = 0; i < 20; i++) {
      try (StatefulRedisConnection<String, String> connection = client.connect()) {
        connection.sync().scriptFlush();
      }
      ClaimRequest request = i % 2 == 0 ? request(key()) : flow(key(), "f");
      granted(store, request);
      assertThat(replicated(request, "state")).isEqualTo("leased");
      String leased = replicated(request, "lease_until");
      assertThat(store.renew(hold(request), LEASE)).isTrue();
      assertThat(replicated(request, "lease_until")).isGreaterThan(leased);
      assertThat(store.record(hold(request), step("a"), LEASE)).isTrue();
      assertThat(replicated(request, "steps")).isEqualTo("1");
      assertThat(store.complete(hold(request), DONE, DAY)).isTrue();
      assertThat(replicated(request, "result")).isEqualTo("done");
    }
  }

  @Test
  void releasesClaimOnTooFewReplicas() {
    try (RedisIdempotencyStore demanding = open(2, Duration.ofMillis(100))) {
      for (ClaimRequest request : List.of(request(key()), flow(key(), "f"))) {
        refused(() -> demanding.claim(request), "the claim", "so it was released");
        assertThat(store.find(request.key()).orElseThrow().status()).isEqualTo(Status.INTERRUPTED);
        granted(store, request);
      }
    }
  }

  @Test
  void reportsUnreplicatedWriteAsUnknown() {
    try (RedisIdempotencyStore demanding = open(2, Duration.ofMillis(100))) {
      ClaimRequest request = request(key());
      granted(store, request);
      refused(() -> demanding.renew(hold(request), LEASE), "the renewal", "may be lost");
      refused(() -> demanding.record(hold(request), step("a"), LEASE), "the step", "may be lost");
      refused(() -> demanding.complete(hold(request), DONE, DAY), "the result", "may be lost");
      assertThat(store.complete(hold(request), DONE, DAY)).isTrue();
      assertThat(demanding.claim(request(request.key())))
          .as("whoever only asks waits for nobody")
          .isEqualTo(new ClaimResult.Completed(DONE, request.ownerId()));
    }
  }

  /** The first time is told alone, as where its answer was lost with its connection. */
  private static void whileTheReplicaHearsNothing(Consumer<RedisIdempotencyStore> before) {
    toReplica.hold();
    try (RedisIdempotencyStore alone = RedisIdempotencyStore.using(client)) {
      before.accept(alone);
    } finally {
      toReplica.letGo();
    }
  }

  @Test
  void repeatedClaimRequiresReplicas() {
    ClaimRequest request = request(key());
    try (RedisIdempotencyStore again = open(1, Duration.ofMillis(100))) {
      whileTheReplicaHearsNothing(
          alone -> {
            granted(alone, request);
            refused(1, 0, () -> again.claim(request), "the claim");
          });
      untilReplicated(() -> again.claim(request) instanceof ClaimResult.Granted);
      assertThat(replicated(request, "state")).isEqualTo("leased");
    }
  }

  @Test
  void repeatedCompletionRequiresReplicas() {
    ClaimRequest request = request(key());
    try (RedisIdempotencyStore again = open(1, Duration.ofMillis(100))) {
      whileTheReplicaHearsNothing(
          alone -> {
            granted(alone, request);
            assertThat(alone.complete(hold(request), DONE, DAY)).isTrue();
            refused(1, 0, () -> again.complete(hold(request), DONE, DAY), "the result");
          });
      untilReplicated(() -> again.complete(hold(request), DONE, DAY));
      assertThat(replicated(request, "result")).isEqualTo("done");
    }
  }

  private static void untilReplicated(Callable<Boolean> change) {
    await()
        .atMost(Duration.ofMinutes(1))
        .ignoreExceptionsInstanceOf(StoreException.class)
        .until(change);
  }

  @Test
  void retriedClaimIsNotReleased() {
    ClaimRequest request = request(key());
    RedisIdempotencyOptions options =
        RedisIdempotencyOptions.DEFAULTS
            .withTimeout(Duration.ofSeconds(10))
            .withReplicas(2, Duration.ofMillis(100));
    try (TcpProxy toMaster = TcpProxy.before(master.uri());
        RedisClient late = RedisClient.create(toMaster.url());
        RedisIdempotencyStore demanding = RedisIdempotencyStore.using(late, options)) {
      // what all threads share; that which waits for replicas is opened only now
      toMaster.hold();
      assertThatThrownBy(() -> demanding.claim(request)).isInstanceOf(StoreException.class);
      try (KillableRedis second = replicaOf(master.uri())) {
        assertThat(second).isNotNull();
        untilReplicated(() -> demanding.claim(request) instanceof ClaimResult.Granted);
      }
      toMaster.letGo();
      assertThat(demanding.find(request.key()).orElseThrow().status())
          .as("after all that was held back")
          .isEqualTo(Status.IN_PROGRESS);
    }
  }

  private static void refused(ThrowingCallable call, String... words) {
    refused(2, 1, call, words);
  }

  private static void refused(int asked, int had, ThrowingCallable call, String... words) {
    StoreException refused = catchThrowableOfType(StoreException.class, call);
    assertThat(refused.isRetryable()).isTrue();
    assertThat(refused)
        .hasMessageContaining(asked + " replicas must have")
        .hasMessageContaining("but " + had + " had it")
        .hasMessageContainingAll(words);
  }
}
