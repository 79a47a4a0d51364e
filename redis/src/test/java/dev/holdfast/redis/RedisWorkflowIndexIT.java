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
import static org.awaitility.Awaitility.await;

import dev.holdfast.StoreException;
import dev.holdfast.idempotency.Idempotency.DeleteResult;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.spi.IdempotencyStore.Attempts;
import dev.holdfast.idempotency.spi.IdempotencyStore.ClaimRequest;
import dev.holdfast.idempotency.spi.IdempotencyStore.ClaimResult;
import dev.holdfast.idempotency.spi.IdempotencyStore.Interrupted;
import dev.holdfast.testing.TestRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The entries by which abandoned flows are found: they may be wrong, and then are mended. */
class RedisWorkflowIndexIT {
  private static final Duration SHORT = Duration.ofMillis(300);

  private static RedisClient client;
  private static StatefulRedisConnection<byte[], byte[]> connection;

  private String prefix;
  private RedisIdempotencyStore store;

  @BeforeAll
  static void connect() {
    client = RedisClient.create(TestRedis.uri().toString());
    connection = client.connect(ByteArrayCodec.INSTANCE);
  }

  @AfterAll
  static void close() {
    client.shutdown();
  }

  @BeforeEach
  void open() {
    prefix = "test-" + UUID.randomUUID();
    store =
        RedisIdempotencyStore.using(client, RedisIdempotencyOptions.DEFAULTS.withPrefix(prefix));
  }

  @AfterEach
  void closeStore() {
    store.close();
  }

  private static RedisCommands<byte[], byte[]> redis() {
    return connection.sync();
  }

  private byte[] names() {
    return (prefix + ":idempotency:{workflows}").getBytes(UTF_8);
  }

  private byte[] entries() {
    return (prefix + ":idempotency:{workflows}:f").getBytes(UTF_8);
  }

  private static byte[] entry(ClaimRequest request) {
    return WorkflowEntry.of("f", hold(request)).bytes();
  }

  /** Enters it as if it had been due since then. */
  private void enter(ClaimRequest request, Duration since) {
    List<byte[]> time = redis().time();
    double now = Double.parseDouble(new String(time.get(0), UTF_8)) * 1_000_000;
    redis().sadd(names(), "f".getBytes(UTF_8));
    redis().zadd(entries(), now - since.toNanos() / 1000d, entry(request));
  }

  private List<IdempotencyKey> abandoned() {
    return store.interrupted(List.of("f"), Attempts.below(1000), 1000).stream()
        .map(Interrupted::key)
        .toList();
  }

  @Test
  void aFlowHasOneEntryUntilItIsDone() {
    ClaimRequest first = flow(key(), "f");
    granted(store, first);
    assertThat(redis().zrange(entries(), 0, -1)).containsExactly(entry(first));
    assertThat(store.claim(flow(first.key(), "f"))).isInstanceOf(ClaimResult.InProgress.class);
    assertThat(redis().zcard(entries())).isEqualTo(1);
    store.record(hold(first), step("a"), LEASE);
    store.release(hold(first), Duration.ZERO);
    ClaimRequest second = flow(first.key(), "f");
    granted(store, second);
    assertThat(redis().zrange(entries(), 0, -1)).containsExactly(entry(second));
    store.complete(hold(second), DONE, DAY);
    assertThat(redis().exists(entries(), names())).isZero();
    assertThat(store.claim(flow(first.key(), "f"))).isInstanceOf(ClaimResult.Completed.class);
    assertThat(redis().exists(entries(), names())).isZero();
  }

  @Test
  void whatIsForgottenLeavesNoEntry() {
    ClaimRequest request = flow(key(), "f");
    granted(store, request);
    store.release(hold(request), Duration.ZERO);
    assertThat(store.delete(request.key())).isEqualTo(DeleteResult.DELETED);
    assertThat(redis().exists(entries(), names())).isZero();
  }

  @Test
  void itIsEnteredBeforeItIsClaimed() {
    ClaimRequest request = flow(key(), "f");
    byte[] state = new RecordKeys(prefix).record(request.key());
    redis().set(state, "theirs".getBytes(UTF_8));
    assertThatThrownBy(() -> store.claim(request)).isInstanceOf(StoreException.class);
    assertThat(redis().zrange(entries(), 0, -1)).containsExactly(entry(request));
    redis().del(state);
  }

  @Test
  void claimWithoutIndexEntryFails() {
    redis().set(entries(), "theirs".getBytes(UTF_8));
    ClaimRequest request = flow(key(), "f");
    assertThatThrownBy(() -> store.claim(request)).isInstanceOf(StoreException.class);
    assertThat(store.find(request.key())).isEmpty();
  }

  @Test
  void unchangeableEntryFailsNothing() {
    ClaimRequest request = flow(key(), "f");
    granted(store, request);
    redis().del(entries());
    redis().set(entries(), "theirs".getBytes(UTF_8));
    assertThat(store.renew(hold(request), LEASE)).isTrue();
    assertThat(store.record(hold(request), step("a"), LEASE)).isTrue();
    assertThat(store.complete(hold(request), DONE, DAY)).isTrue();
  }

  @Test
  void renewedClaimIsListedAfterExpiry() {
    ClaimRequest request = flow(key(), "f", SHORT);
    granted(store, request);
    store.renew(hold(request), LEASE);
    List<byte[]> time = redis().time();
    double now = Double.parseDouble(new String(time.get(0), UTF_8)) * 1_000_000;
    assertThat(redis().zscore(entries(), entry(request)))
        .isGreaterThan(now + LEASE.minusMinutes(2).toNanos() / 1000d);
  }

  @Test
  void repairsWrongTimeOfEntry() {
    ClaimRequest request = flow(key(), "f");
    granted(store, request);
    enter(request, DAY);
    assertThat(abandoned()).isEmpty();
    assertThat(store.deleteExpired(10)).isZero();
    List<byte[]> time = redis().time();
    double now = Double.parseDouble(new String(time.get(0), UTF_8)) * 1_000_000;
    assertThat(redis().zscore(entries(), entry(request)))
        .isGreaterThan(now + LEASE.minusMinutes(2).toNanos() / 1000d);
  }

  @Test
  void restoresLostEntry() {
    ClaimRequest request = flow(key(), "f");
    granted(store, request);
    redis().del(entries(), names());
    store.renew(hold(request), LEASE);
    assertThat(redis().zcard(entries())).isEqualTo(1);
    redis().del(entries(), names());
    store.record(hold(request), step("a"), LEASE);
    assertThat(redis().zcard(entries())).isEqualTo(1);
    redis().del(entries(), names());
    store.release(hold(request), Duration.ZERO);
    assertThat(abandoned()).containsExactly(request.key());
  }

  @Test
  void findsWorkflowByEntryOfEarlierAttempt() {
    ClaimRequest first = flow(key(), "f");
    granted(store, first);
    store.release(hold(first), Duration.ZERO);
    ClaimRequest second = flow(first.key(), "f", SHORT);
    granted(store, second);
    redis().del(entries());
    enter(first, DAY);
    await().until(() -> abandoned().equals(List.of(first.key())));
    assertThat(redis().zrange(entries(), 0, -1)).containsExactly(entry(second));
  }

  @Test
  void findsWorkflowTakenOverWithoutInput() {
    ClaimRequest first = flow(key(), "f");
    granted(store, first);
    store.release(hold(first), Duration.ZERO);
    granted(store, request(first.key(), SHORT, DAY));
    await().until(() -> abandoned().equals(List.of(first.key())));
  }

  @Test
  void anEntryOfWhatIsDoneIsRemoved() {
    ClaimRequest request = flow(key(), "f");
    granted(store, request);
    store.complete(hold(request), DONE, DAY);
    enter(request, Duration.ofSeconds(1));
    ClaimRequest duplicate = flow(request.key(), "f");
    enter(duplicate, Duration.ofSeconds(1));
    assertThat(store.deleteExpired(10)).isEqualTo(2);
    assertThat(redis().exists(entries(), names())).isZero();
    enter(request, Duration.ofSeconds(1));
    assertThat(abandoned()).isEmpty();
    assertThat(redis().exists(entries(), names())).isZero();
  }

  @Test
  void keepsEntryUntilClaimIsImpossible() {
    ClaimRequest young = flow(key(), "f");
    ClaimRequest old = flow(key(), "f");
    enter(young, Duration.ofMinutes(1));
    enter(old, Duration.ofMinutes(10));
    assertThat(abandoned()).isEmpty();
    assertThat(redis().zrange(entries(), 0, -1)).containsExactly(entry(young));
    assertThat(store.deleteExpired(10)).isZero();
    granted(store, young);
    store.release(hold(young), Duration.ZERO);
    assertThat(abandoned()).containsExactly(young.key());
  }

  @Test
  void anEntryOfAnotherFlowIsNotBelieved() {
    ClaimRequest request = flow(key(), "g");
    granted(store, request);
    store.release(hold(request), Duration.ZERO);
    enter(request, Duration.ofMinutes(10));
    assertThat(abandoned()).isEmpty();
    assertThat(redis().exists(entries())).isZero();
    assertThat(store.interrupted(List.of("g"), Attempts.below(1000), 10)).hasSize(1);
  }

  @Test
  void prunesAtMostLimit() {
    for (int i = 0; i < 150; i++) {
      enter(flow(key(), "f"), DAY);
    }
    assertThat(store.deleteExpired(20)).isEqualTo(20);
    assertThat(store.deleteExpired(120)).isEqualTo(120);
    assertThat(store.deleteExpired(120)).isEqualTo(10);
    assertThat(store.deleteExpired(120)).isZero();
    assertThat(redis().exists(entries(), names())).isZero();
  }

  @Test
  void manyAreFoundWhateverStandsBeforeThem() {
    for (int i = 0; i < 150; i++) {
      enter(flow(key(), "f"), Duration.ofMinutes(1));
    }
    List<IdempotencyKey> keys = new ArrayList<>();
    for (int i = 0; i < 230; i++) {
      ClaimRequest request = flow(key(), "f");
      granted(store, request);
      store.release(hold(request), Duration.ZERO);
      keys.add(request.key());
    }
    assertThat(abandoned()).isEqualTo(keys);
    assertThat(store.interrupted(List.of("f"), Attempts.below(1000), 7))
        .extracting(Interrupted::key)
        .isEqualTo(keys.subList(0, 7));
    assertThat(store.interrupted(List.of("f"), Attempts.below(1), 7)).isEmpty();
    assertThat(store.interrupted(List.of("f"), Attempts.below(1000), 0)).isEmpty();
  }
}
