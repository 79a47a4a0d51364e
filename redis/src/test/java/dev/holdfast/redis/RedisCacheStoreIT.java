package dev.holdfast.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.cache.CacheStore;
import dev.holdfast.cache.CacheStore.Subscription;
import dev.holdfast.cache.CacheStore.Value;
import dev.holdfast.testing.TestRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is Redis's own about cached values: its keys, and how long they last. */
class RedisCacheStoreIT {
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final long MEMORY = CacheStore.MEMORY.toMillis();

  private final String prefix = "test-" + UUID.randomUUID();
  private final String state = new String(new CacheKeys(prefix).state("x"), UTF_8);
  private RedisClient client;
  private RedisCacheStore store;
  private RedisCommands<String, String> redis;

  @BeforeEach
  void connect() {
    client = RedisClient.create(TestRedis.uri().toString());
    store = open();
    redis = client.connect().sync();
  }

  @AfterEach
  void close() {
    store.close();
    client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
  }

  private RedisCacheStore open() {
    return RedisCacheStore.using(client, RedisCacheOptions.DEFAULTS.withPrefix(prefix));
  }

  private boolean put(long token, long generation, Duration keepFor) {
    return store.put(new Value("x", new byte[] {1}, token, generation, keepFor, keepFor));
  }

  @Test
  void tokenOutlivesValueByOneHour() {
    put(1, 0, LONG);

    assertThat(redis.pttl(state + ":body")).isBetween(1L, LONG.toMillis());
    assertThat(redis.pttl(state)).isBetween(MEMORY + 1, MEMORY + LONG.toMillis());

    put(2, 0, Duration.ZERO);

    assertThat(redis.exists(state + ":body")).isZero();
    assertThat(redis.pttl(state)).isBetween(MEMORY - 60_000, MEMORY);
  }

  @Test
  void remembersInvalidationForOneHour() {
    put(1, 0, Duration.ofMillis(1));
    store.invalidate("x");

    assertThat(redis.exists(state + ":body")).isZero();
    assertThat(redis.pttl(state)).isBetween(MEMORY - 60_000, MEMORY);

    put(2, store.get("x").generation(), Duration.ofMillis(1));

    assertThat(redis.pttl(state)).isBetween(MEMORY - 60_000, MEMORY + 1);
  }

  @Test
  void clockDecidesExpiryNotEviction() {
    put(1, 0, Duration.ofMillis(20));
    redis.persist(state + ":body");

    await().until(() -> store.get("x").entry() == null);
    assertThat(redis.exists(state + ":body")).isEqualTo(1);
  }

  @Test
  void aValueWithoutItsStateIsNone() {
    put(1, 0, LONG);
    redis.del(state);

    assertThat(store.get("x")).isEqualTo(CacheStore.Found.NOTHING);
  }

  @Test
  void keepsGenerationWithoutValue() {
    store.invalidate("x");
    long generation = store.get("x").generation();
    put(1, generation, LONG);
    redis.del(state + ":body");

    assertThat(store.get("x")).isEqualTo(new CacheStore.Found(generation, null));
  }

  @Test
  void comparesTokensExactly() {
    assertThat(put(-1, 0, LONG)).isTrue();
    assertThat(put(-2, 0, LONG)).isFalse();
    assertThat(put(1, 0, LONG)).isTrue();
    assertThat(put(-1, 0, LONG)).isFalse();
    assertThat(put(Long.MAX_VALUE - 1, 0, LONG)).isTrue();
    assertThat(put(Long.MAX_VALUE - 2, 0, LONG)).isFalse();
    assertThat(put(Long.MAX_VALUE, 0, LONG)).isTrue();
    assertThat(put(1L << 32, 0, LONG)).isFalse();
    assertThat(Objects.requireNonNull(store.get("x").entry()).token()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void remembersTokenAcrossInvalidation() {
    put(8, 0, LONG);
    store.invalidate("x");
    long generation = store.get("x").generation();

    assertThat(put(7, generation, LONG)).isFalse();
    assertThat(put(8, generation, LONG)).isTrue();
  }

  @Test
  void generationsGrowWhenClockStepsBack() {
    store.invalidate("x");
    long before = store.get("x").generation();
    long future = before + 3_600_000_000L;
    byte[] number = ByteBuffer.allocate(8).putDouble((double) future).array();
    // as if it had been invalidated by a clock that is an hour ahead
    client.connect(ByteArrayCodec.INSTANCE).sync().setrange(state.getBytes(UTF_8), 0, number);
    assertThat(store.get("x").generation()).isEqualTo(future);

    store.invalidate("x");

    assertThat(store.get("x").generation()).isEqualTo(future + 1);
  }

  @Test
  void aShorterMarkDoesNotEndALongerOne() {
    store.watch("x", LONG);
    store.watch("x", Duration.ofSeconds(1));

    assertThat(redis.pttl(state + ":mark")).isGreaterThan(LONG.toMillis() / 2);
    store.watch("x", LONG.multipliedBy(2));
    assertThat(redis.pttl(state + ":mark")).isGreaterThan(LONG.toMillis());
  }

  @Test
  void skipsNotificationsWithoutWaiters() {
    CacheHeard heard = new CacheHeard();
    try (Subscription subscription = store.subscribe(heard)) {
      await().until(subscription::hears);
      put(2, 0, LONG);
      store.tell("x");
      store.watch("x", LONG);
      put(1, 0, LONG);
      put(3, 7, LONG);
      store.invalidate("last");
      await().until(() -> heard.words().contains("invalidated last"));

      assertThat(heard.words()).containsExactly("missed", "invalidated last");
    }
  }

  @Test
  void listenersShareOneConnection() {
    CacheHeard heard = new CacheHeard();
    Subscription first = store.subscribe(new CacheHeard());
    await().until(first::hears);
    Subscription late = store.subscribe(heard);

    assertThat(late.hears()).isTrue();
    assertThat(heard.missedTimes()).as("who comes late is told where it begins").isEqualTo(1);
    assertThat(subscriptions()).isEqualTo(1);
    first.close();
    assertThat(first.hears()).isFalse();
    store.invalidate("x");
    await().until(() -> heard.words().contains("invalidated x"));
    late.close();
    late.close();
    await().until(() -> subscriptions() == 0);
    try (Subscription again = store.subscribe(heard)) {
      await().until(again::hears);
    }
  }

  private long subscriptions() {
    return redis.pubsubNumsub(prefix + ":cache:news").values().iterator().next();
  }

  @Test
  void failingListenerDoesNotBlockOthers() {
    CacheHeard heard = new CacheHeard();
    CacheStore.Listener broken =
        new CacheStore.Listener() {
          @Override
          public void changed(String name) {
            throw new IllegalStateException("broken");
          }

          @Override
          public void invalidated(String name) {
            throw new IllegalStateException("broken");
          }

          @Override
          public void missed() {}
        };
    try (Subscription first = store.subscribe(broken);
        Subscription second = store.subscribe(heard)) {
      await().until(() -> first.hears() && second.hears());
      redis.publish(prefix + ":cache:news", "of somebody else");
      redis.publish(prefix + ":cache:news", "");

      store.invalidate("x");

      await().until(() -> heard.words().contains("invalidated x"));
    }
  }

  @Test
  void aClosedStoreHearsNothing() {
    CacheHeard heard = new CacheHeard();
    Subscription before = store.subscribe(heard);
    await().until(before::hears);

    store.close();

    assertThat(before.hears()).isFalse();
    await().until(() -> subscriptions() == 0);
    try (Subscription after = store.subscribe(heard)) {
      assertThat(after.hears()).isFalse();
    }
    before.close();
  }
}
