package dev.holdfast.redis;

import static dev.holdfast.redis.IdempotencyRequests.DAY;
import static dev.holdfast.redis.IdempotencyRequests.DONE;
import static dev.holdfast.redis.IdempotencyRequests.LEASE;
import static dev.holdfast.redis.IdempotencyRequests.PAYLOAD;
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
import dev.holdfast.idempotency.Idempotency.DeleteResult;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.IdempotencyResult;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.idempotency.spi.IdempotencyStore.Attempts;
import dev.holdfast.idempotency.spi.IdempotencyStore.ClaimRequest;
import dev.holdfast.idempotency.spi.IdempotencyStore.ClaimResult;
import dev.holdfast.testing.KillableRedis;
import dev.holdfast.workflow.Workflows;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Workflows fail closed where Redis cannot answer, with an error that says whether to try again.
 */
class RedisIdempotencyFaultsIT {
  private KillableRedis server;
  private RedisClient client;
  private RedisIdempotencyStore store;

  @BeforeEach
  void connect() {
    server = KillableRedis.start();
    client = RedisClient.create(server.uri());
    store =
        RedisIdempotencyStore.using(
            client, RedisIdempotencyOptions.DEFAULTS.withTimeout(Duration.ofMillis(500)));
  }

  @AfterEach
  void close() {
    store.close();
    client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
    server.close();
  }

  private void redis(Consumer<RedisCommands<String, String>> action) {
    try (StatefulRedisConnection<String, String> connection = client.connect()) {
      action.accept(connection.sync());
    }
  }

  private static StoreException refused(ThrowingCallable call) {
    return catchThrowableOfType(StoreException.class, call);
  }

  private StoreException refused() {
    return refused(() -> store.claim(request(key())));
  }

  @Test
  void scriptsSurviveTheirBeingFlushed() {
    ClaimRequest request = flow(key(), "f");
    redis(RedisCommands::scriptFlush);
    granted(store, request);
    redis(RedisCommands::scriptFlush);
    assertThat(store.renew(hold(request), LEASE)).isTrue();
    redis(RedisCommands::scriptFlush);
    assertThat(store.record(hold(request), step("a"), LEASE)).isTrue();
    redis(RedisCommands::scriptFlush);
    assertThat(store.release(hold(request), Duration.ZERO)).isTrue();
    redis(RedisCommands::scriptFlush);
    assertThat(store.interrupted(List.of("f"), Attempts.below(10), 10)).hasSize(1);
    redis(RedisCommands::scriptFlush);
    assertThat(granted(store, request).steps()).containsExactly(step("a"));
    redis(RedisCommands::scriptFlush);
    assertThat(store.complete(hold(request), DONE, DAY)).isTrue();
    redis(RedisCommands::scriptFlush);
    assertThat(store.find(request.key())).isPresent();
    redis(RedisCommands::scriptFlush);
    assertThat(store.deleteExpired(10)).isZero();
    redis(RedisCommands::scriptFlush);
    assertThat(store.delete(request.key())).isEqualTo(DeleteResult.DELETED);
  }

  @Test
  void flushedRequestIsLost() {
    ClaimRequest request = request(key());
    granted(store, request);
    redis(RedisCommands::flushall);
    assertThat(store.renew(hold(request), LEASE)).isFalse();
    assertThat(store.record(hold(request), step("a"), LEASE)).isFalse();
    assertThat(store.complete(hold(request), DONE, DAY)).isFalse();
    assertThat(store.release(hold(request), Duration.ZERO)).isFalse();
    assertThat(store.find(request.key())).isEmpty();
  }

  @Test
  void reportsOutageAndRecovers() {
    ClaimRequest request = request(key());
    granted(store, request);
    server.kill();
    for (ThrowingCallable call :
        List.<ThrowingCallable>of(
            () -> store.claim(request(key())),
            () -> store.claim(flow(key(), "f")),
            () -> store.renew(hold(request), LEASE),
            () -> store.complete(hold(request), DONE, DAY),
            () -> store.find(request.key()),
            () -> store.interrupted(List.of("f"), Attempts.below(10), 10),
            () -> store.deleteExpired(10))) {
      StoreException gone = refused(call);
      assertThat(gone.isRetryable()).isTrue();
      assertThat(gone).hasMessageMatching("(?s).*(may have worked or not|nothing was done).*");
    }
    server.restart();
    await()
        .ignoreExceptionsInstanceOf(StoreException.class)
        .until(() -> store.claim(request(request.key())) instanceof ClaimResult.Granted);
    assertThat(store.complete(hold(request), DONE, DAY)).isFalse();
  }

  @Test
  void rejectsClaimWithoutConnection() {
    server.kill();
    await().untilAsserted(() -> assertThat(refused()).hasMessageContaining("nothing was done"));
    StoreException flow = refused(() -> store.claim(flow(key(), "f")));
    assertThat(flow).hasMessageContaining("nothing was done");
    assertThat(flow.isRetryable()).isTrue();
  }

  @Test
  void whereRedisIsGoneNoWorkRuns() {
    AtomicInteger runs = new AtomicInteger();
    Workflows claims = Workflows.create(store);
    server.kill();
    StoreException gone =
        refused(
            () ->
                claims.run(
                    IdempotencyRequest.of(key(), ReplyCodecs.text()).fingerprint(PAYLOAD),
                    c -> "" + runs.incrementAndGet()));
    assertThat(gone.isRetryable()).isTrue();
    assertThat(gone.code()).isEqualTo("idempotency-store");
    assertThat(runs).hasValue(0);
    server.restart();
    await()
        .ignoreExceptionsInstanceOf(StoreException.class)
        .until(
            () ->
                claims.run(
                        IdempotencyRequest.of(key(), ReplyCodecs.text()).fingerprint(PAYLOAD),
                        c -> "" + runs.incrementAndGet())
                    instanceof IdempotencyResult.Executed<?>);
    assertThat(runs).hasValue(1);
  }

  @Test
  void waitForUnresponsiveRedisIsBounded() {
    redis(commands -> commands.clientPause(1500));
    StoreException slow = refused();
    assertThat(slow.isRetryable()).isTrue();
    assertThat(slow).hasMessageContaining("did not answer within PT0.5S");
  }

  @Test
  void aReplicaIsSaidToBeNoMaster() {
    redis(commands -> commands.replicaof("127.0.0.1", server.port()));
    assertThat(refused().isRetryable()).isTrue();
    assertThat(refused()).hasMessageContaining("is a replica").hasMessageContaining("of 'pay'");
  }

  @Test
  void aRedisWithoutMemoryIsSaidToHaveNone() {
    redis(commands -> commands.configSet("maxmemory", "1"));
    assertThat(refused().isRetryable()).isTrue();
    assertThat(refused()).hasMessageContaining("no memory left");
  }

  @Test
  void aRedisThatIsNotThereIsSaidSoAtTheStart() {
    server.kill();
    assertThatThrownBy(() -> RedisIdempotencyStore.using(client))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("connecting to Redis failed");
    server.restart();
  }

  @Test
  void leavesForeignKeysAlone() {
    ClaimRequest request = request(key());
    String state = new String(new RecordKeys("holdfast").record(request.key()), UTF_8);
    redis(commands -> commands.lpush(state, "theirs"));
    StoreException theirs = refused(() -> store.claim(request));
    assertThat(theirs.isRetryable()).isFalse();
    assertThat(theirs).hasMessageContaining("use another prefix");
    redis(commands -> assertThat(commands.lrange(state, 0, -1)).containsExactly("theirs"));
  }

  @Test
  void aClosedStoreSaysSo() {
    store.close();
    assertThat(refused().isRetryable()).isFalse();
    assertThat(refused()).hasMessageContaining("closed");
  }

  @Test
  void interruptedThreadLearnsResult() {
    Thread.currentThread().interrupt();
    try {
      granted(store, request(key()));
      assertThat(Thread.currentThread().isInterrupted()).isTrue();
    } finally {
      Thread.interrupted();
    }
  }
}
