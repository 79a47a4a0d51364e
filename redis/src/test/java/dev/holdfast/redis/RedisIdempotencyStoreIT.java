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

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.spi.IdempotencyStore.Attempts;
import dev.holdfast.idempotency.spi.IdempotencyStore.ClaimRequest;
import dev.holdfast.idempotency.spi.IdempotencyStore.ClaimResult;
import dev.holdfast.idempotency.spi.IdempotencyStore.Ownership;
import dev.holdfast.idempotency.spi.IdempotencyStore.Step;
import dev.holdfast.idempotency.spi.IdempotencyStore.StoredResult;
import dev.holdfast.idempotency.spi.IdempotencyStore.WorkflowInput;
import dev.holdfast.testing.TestRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What is special about idempotency records in Redis: their keys, their expiry, their bytes. */
class RedisIdempotencyStoreIT {
  private static final String PREFIX = "test-" + UUID.randomUUID();

  private static RedisClient client;
  private static RedisIdempotencyStore store;
  private static StatefulRedisConnection<String, String> connection;

  @BeforeAll
  static void connect() {
    client = RedisClient.create(TestRedis.uri().toString());
    store = open(client);
    connection = client.connect();
  }

  private static RedisIdempotencyStore open(RedisClient client) {
    return RedisIdempotencyStore.using(client, RedisIdempotencyOptions.DEFAULTS.withPrefix(PREFIX));
  }

  @AfterAll
  static void close() {
    store.close();
    client.shutdown();
  }

  private static String state(IdempotencyKey key) {
    return new String(new RecordKeys(PREFIX).record(key), UTF_8);
  }

  /** How long Redis keeps a record yet; negative where for ever. */
  private static Duration left(IdempotencyKey key) {
    assertThat(connection.sync().exists(state(key))).isEqualTo(1);
    return Duration.ofMillis(connection.sync().pttl(state(key)));
  }

  private static void assertLeft(IdempotencyKey key, Duration expected) {
    assertThat(left(key)).isBetween(expected.minusMinutes(2), expected.plusMillis(1));
  }

  @Test
  void aRecordIsOneKeyAndSoInOneSlot() {
    IdempotencyKey key = key().tenant("}{").principal("{a}");
    int before = connection.sync().keys(PREFIX + ":*").size();
    ClaimRequest request = request(key);
    granted(store, request);
    store.record(hold(request), step("a"), LEASE);
    store.record(hold(request), step("b"), LEASE);
    assertThat(connection.sync().keys(PREFIX + ":*")).hasSize(before + 1).contains(state(key));
    assertThat(state(key)).matches("test-[^{}]*:idempotency:\\{[A-Za-z0-9_-]{43}}");
    store.complete(hold(request), DONE, DAY);
    assertThat(connection.sync().keys(PREFIX + ":*")).hasSize(before + 1);
    assertThat(connection.sync().hkeys(state(key))).doesNotContain("s1", "s2", "steps");
  }

  @Test
  void aRecordExpiresWithItsRetention() {
    ClaimRequest request = request(key());
    granted(store, request);
    assertLeft(request.key(), DAY);
    store.renew(hold(request), LEASE);
    assertLeft(request.key(), DAY);
    store.complete(hold(request), DONE, Duration.ofDays(3));
    assertLeft(request.key(), Duration.ofDays(3));
  }

  @Test
  void claimOutlivesRetention() {
    ClaimRequest request = request(key(), LEASE, Duration.ofMillis(1));
    granted(store, request);
    assertLeft(request.key(), LEASE);
    store.renew(hold(request), LEASE.multipliedBy(2));
    assertLeft(request.key(), LEASE.multipliedBy(2));
    store.record(hold(request), step("a"), LEASE.multipliedBy(3));
    assertLeft(request.key(), LEASE.multipliedBy(3));
    assertThat(store.complete(hold(request), DONE, LEASE.multipliedBy(4))).isTrue();
    assertLeft(request.key(), LEASE.multipliedBy(4));
  }

  @Test
  void completedRecordDropsLease() {
    ClaimRequest done = request(key(), DAY, Duration.ofMillis(1));
    granted(store, done);
    store.complete(hold(done), DONE, LEASE);
    assertLeft(done.key(), LEASE);
    ClaimRequest released = request(key(), DAY, LEASE);
    granted(store, released);
    store.release(hold(released), DAY);
    assertLeft(released.key(), LEASE);
  }

  @Test
  void aFlowExpiresOnlyWhenItIsDone() {
    ClaimRequest first = flow(key(), "expiring");
    granted(store, first);
    assertThat(left(first.key())).isNegative();
    store.record(hold(first), step("a"), LEASE);
    store.release(hold(first), Duration.ZERO);
    assertThat(left(first.key())).isNegative();
    ClaimRequest second = flow(first.key(), "expiring");
    granted(store, second);
    assertThat(left(first.key())).isNegative();
    store.complete(hold(second), DONE, DAY);
    assertLeft(first.key(), DAY);
  }

  @Test
  void takeoverKeepsOwnRetention() {
    ClaimRequest first = request(key(), LEASE, Duration.ofHours(1));
    granted(store, first);
    store.release(hold(first), Duration.ZERO);
    granted(store, request(first.key()));
    assertLeft(first.key(), DAY);
  }

  @Test
  void prunesRecordsThatRedisExpiresLate() {
    ClaimRequest old = request(key());
    granted(store, old);
    store.record(hold(old), step("old"), LEASE);
    connection.sync().hset(state(old.key()), "lease_until", "1");
    connection.sync().hset(state(old.key()), "expires_at", "1");

    ClaimRequest fresh = request(old.key());
    assertThat(granted(store, fresh)).isEqualTo(new ClaimResult.Granted(1, List.of()));
    store.record(hold(fresh), step("new"), LEASE);

    assertThat(granted(store, fresh).steps()).containsExactly(step("new"));
  }

  @Test
  void everyByteComesBack() {
    byte[] all = new byte[256];
    for (int i = 0; i < all.length; i++) {
      all[i] = (byte) i;
    }
    WorkflowInput work = new WorkflowInput("bytes \u00e4\ud83d\ude00", all);
    ClaimRequest request = new ClaimRequest(key(), PAYLOAD, UUID.randomUUID(), LEASE, DAY, work);
    granted(store, request);
    Step step = new Step("\u00e4", all);
    store.record(hold(request), step, LEASE);
    store.release(hold(request), Duration.ZERO);
    assertThat(store.interrupted(List.of(work.workflow()), Attempts.below(10), 10))
        .singleElement()
        .satisfies(left -> assertThat(left.work()).isEqualTo(work))
        .satisfies(left -> assertThat(left.key()).isEqualTo(request.key()));
    assertThat(granted(store, request).steps()).containsExactly(step);
    StoredResult reply = new StoredResult(StoredResult.Kind.REJECTION, all);
    store.complete(hold(request), reply, DAY);
    assertThat(store.claim(request(request.key())))
        .isEqualTo(new ClaimResult.Completed(reply, request.ownerId()));
  }

  @Test
  void theLargestReplyComesBack() {
    byte[] large = new byte[15 << 20];
    Arrays.fill(large, (byte) -7);
    ClaimRequest request = request(key());
    granted(store, request);
    StoredResult reply = new StoredResult(StoredResult.Kind.RESULT, large);
    store.complete(hold(request), reply, Duration.ofMinutes(5));
    assertThat(store.claim(request(request.key())))
        .isEqualTo(new ClaimResult.Completed(reply, request.ownerId()));
    store.delete(request.key());
  }

  @Test
  void tenThousandStepsComeBackInTheirOrder() {
    ClaimRequest request = request(key());
    granted(store, request);
    for (int i = 0; i < 10_000; i++) {
      store.record(hold(request), step("s" + i), LEASE);
    }
    List<Step> steps = granted(store, request).steps();
    assertThat(steps).hasSize(10_000);
    assertThat(steps.get(9_999)).isEqualTo(step("s9999"));
    assertThat(store.complete(hold(request), DONE, DAY)).isTrue();
    assertThat(connection.sync().hlen(state(request.key()))).isLessThan(15);
  }

  @Test
  void anotherClientSeesTheSame() {
    RedisClient another = RedisClient.create(TestRedis.uri().toString());
    try (RedisIdempotencyStore other = open(another)) {
      ClaimRequest request = request(key());
      granted(store, request);
      assertThat(other.claim(request(request.key()))).isInstanceOf(ClaimResult.InProgress.class);
      assertThat(other.renew(hold(request), LEASE)).isTrue();
      assertThat(other.complete(hold(request), DONE, DAY)).isTrue();
      assertThat(store.claim(request(request.key())))
          .isEqualTo(new ClaimResult.Completed(DONE, request.ownerId()));
      assertThat(other.find(request.key())).isEqualTo(store.find(request.key())).isPresent();
    } finally {
      another.shutdown();
    }
  }

  @Test
  void anotherPrefixIsAnotherPlace() {
    ClaimRequest request = request(key());
    granted(store, request);
    try (RedisIdempotencyStore other =
        RedisIdempotencyStore.using(
            client, RedisIdempotencyOptions.DEFAULTS.withPrefix(PREFIX + "-2"))) {
      assertThat(other.find(request.key())).isEmpty();
      granted(other, request(request.key(), LEASE, LEASE));
    }
  }

  @Test
  @SuppressWarnings("NullAway") // that is what is refused
  void whatIsMissingIsSaid() {
    Ownership hold = hold(request(key()));
    List<ThrowingCallable> calls =
        List.of(
            () -> store.claim(null),
            () -> store.renew(null, LEASE),
            () -> store.renew(new Ownership(null, hold.ownerId()), LEASE),
            () -> store.renew(new Ownership(hold.key(), null), LEASE),
            () -> store.renew(hold, null),
            () -> store.record(hold, null, LEASE),
            () -> store.complete(hold, null, DAY),
            () -> store.complete(hold, DONE, null),
            () -> store.release(hold, null),
            () -> store.find(null),
            () -> store.delete(null),
            () -> store.interrupted(null, Attempts.below(1), 1),
            () -> RedisIdempotencyStore.using((RedisClient) null),
            () -> RedisIdempotencyStore.using(client, null));
    for (ThrowingCallable call : calls) {
      assertThatThrownBy(call)
          .isInstanceOf(InvalidArgumentException.class)
          .hasMessageContaining("must not be null");
    }
  }

  /** Whether the record was written to, if only with what it had in it before. */
  private static boolean isWrittenBy(ClaimRequest request, Runnable action) {
    try (StatefulRedisConnection<String, String> watching = client.connect()) {
      watching.sync().watch(state(request.key()));
      action.run();
      watching.sync().multi();
      watching.sync().ping();
      return watching.sync().exec().wasDiscarded();
    }
  }

  @Test
  void repeatedWriteIsReplicated() {
    ClaimRequest request = request(key());
    granted(store, request);
    assertThat(isWrittenBy(request, () -> store.claim(request(request.key()))))
        .as("somebody else's claim")
        .isFalse();
    assertThat(isWrittenBy(request, () -> granted(store, request))).as("the claim").isTrue();
    store.complete(hold(request), DONE, DAY);
    assertThat(isWrittenBy(request, () -> store.claim(request(request.key()))))
        .as("whoever only asks")
        .isFalse();
    assertThat(isWrittenBy(request, () -> store.complete(hold(request), DONE, DAY)))
        .as("the answer")
        .isTrue();
  }
}
