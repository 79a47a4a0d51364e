package dev.holdfast.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.holdfast.StoreException;
import dev.holdfast.cache.CacheStore;
import dev.holdfast.cache.CacheStore.Subscription;
import dev.holdfast.cache.CacheStore.Value;
import dev.holdfast.testing.KillableRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A Redis that is gone, answers errors, or has lost its data. */
class RedisCacheFaultsIT {
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final Pattern CALLS = Pattern.compile("cmdstat_(eval|evalsha):calls=(\\d+)");

  private KillableRedis server;
  private RedisClient client;
  private RedisCacheStore store;

  @BeforeEach
  void connect() {
    server = KillableRedis.start();
    client = RedisClient.create(server.uri());
    store =
        RedisCacheStore.using(
            client, RedisCacheOptions.DEFAULTS.withTimeout(Duration.ofMillis(500)));
  }

  @AfterEach
  void close() {
    store.close();
    client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
    server.close();
  }

  private boolean put(long token, long generation) {
    return store.put(new Value("x", new byte[] {1}, token, generation, LONG, LONG));
  }

  /** Each thing that can be asked of it. */
  private void everything() {
    store.get("x");
    store.watch("x", LONG);
    put(1, 0);
    store.tell("x");
    store.invalidate("x");
  }

  @Test
  void reloadsFlushedScriptsInOneRoundTrip() {
    everything();
    redis(RedisCommands::scriptFlush);
    redis(RedisCommands::configResetstat);
    everything();
    assertThat(calls()).as("by their digest, and then by their text").isEqualTo("5+5");

    redis(RedisCommands::configResetstat);
    everything();

    assertThat(calls()).isEqualTo("5+0");
  }

  private String calls() {
    int[] calls = new int[2];
    redis(
        commands -> {
          Matcher found = CALLS.matcher(commands.info("commandstats"));
          while (found.find()) {
            calls["eval".equals(found.group(1)) ? 1 : 0] = Integer.parseInt(found.group(2));
          }
        });
    return calls[0] + "+" + calls[1];
  }

  @Test
  void flushDoesNotUndoInvalidation() {
    store.invalidate("x");
    long first = store.get("x").generation();
    put(1, first);
    store.invalidate("x");

    redis(RedisCommands::flushall);

    assertThat(store.get("x")).isEqualTo(CacheStore.Found.NOTHING);
    assertThat(put(2, first)).as("loaded before the invalidation").isFalse();
    store.invalidate("x");
    assertThat(store.get("x").generation()).as("does not repeat").isGreaterThan(first);
    assertThat(put(3, first)).isFalse();
    assertThat(put(3, 0)).isFalse();
    assertThat(store.get("x").entry()).isNull();
  }

  @Test
  void flushDoesNotUndoFirstInvalidation() {
    long never = store.get("x").generation();
    store.invalidate("x");
    redis(RedisCommands::flushall);
    // another one of this process looks while it is loaded
    assertThat(store.get("x")).isEqualTo(CacheStore.Found.NOTHING);

    assertThat(put(1, never)).as("loaded before the invalidation").isFalse();

    assertThat(put(2, store.get("x").generation())).as("loaded after the flush").isTrue();
    long old = store.get("x").generation();
    redis(RedisCommands::flushall);
    assertThat(put(3, old)).as("loaded anew, and there was a value before the flush").isFalse();
    assertThat(store.watch("x", LONG)).isEqualTo(CacheStore.Found.NOTHING);
    redis(RedisCommands::flushall);
    assertThat(put(4, 0)).as("loaded by one who had waited").isFalse();
  }

  @Test
  void laterGenerationDoesNotServeEarlierAfterFlush() {
    long never = store.get("x").generation();
    store.invalidate("x");
    assertThat(put(1, store.get("x").generation())).isTrue();
    redis(RedisCommands::flushall);

    assertThat(put(2, never)).isFalse();
  }

  @Test
  void oldLoadDoesNotReplaceNewAfterFlush() {
    long never = store.get("x").generation();
    store.invalidate("x");
    redis(RedisCommands::flushall);
    try (RedisCacheStore other = RedisCacheStore.using(client)) {
      long generation = other.get("x").generation();
      assertThat(other.put(new Value("x", new byte[] {2}, 1, generation, LONG, LONG))).isTrue();
    }

    assertThat(put(2, never)).isFalse();
  }

  @Test
  void reportsOutageAndRecovers() {
    CacheHeard heard = new CacheHeard();
    try (Subscription subscription = store.subscribe(heard)) {
      await().until(subscription::hears);
      store.invalidate("x");
      long generation = store.get("x").generation();
      server.kill();
      StoreException gone = refused();
      assertThat(gone.isRetryable()).isTrue();
      assertThat(gone)
          .hasMessageContaining("caching the value of 'y' failed")
          .hasMessageContaining("may have worked or not");
      await().until(() -> !subscription.hears());
      server.restart();
      await()
          .ignoreExceptionsInstanceOf(StoreException.class)
          .until(() -> store.get("x").equals(CacheStore.Found.NOTHING));
      assertThat(put(9, generation)).as("of a generation that is lost").isFalse();
      await().until(subscription::hears);
      assertThat(heard.missedTimes()).isEqualTo(2);
      store.invalidate("x");
      await().until(() -> heard.words().contains("invalidated x"));
    }
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
    StoreException readOnly = refused();
    assertThat(readOnly.isRetryable()).isTrue();
    assertThat(readOnly).hasMessageContaining("is a replica");
  }

  @Test
  void fullMemoryRejectsValuesButInvalidates() {
    put(1, 0);
    redis(commands -> commands.configSet("maxmemory", "1"));

    store.invalidate("x");
    store.invalidate("never stored");

    assertThat(store.get("x").entry()).isNull();
    assertThat(store.get("x").generation()).isPositive();
    assertThat(store.get("unknown")).isEqualTo(CacheStore.Found.NOTHING);
    assertThat(store.get("never stored").generation()).isPositive();
    StoreException full = refused();
    assertThat(full.isRetryable()).isTrue();
    assertThat(full).hasMessageContaining("no memory left");
  }

  @Test
  void aMissingPasswordIsNotTriedAgain() {
    redis(commands -> commands.configSet("requirepass", "secret"));
    RedisClient stranger = RedisClient.create(server.uri());
    StoreException refused =
        catchThrowableOfType(StoreException.class, () -> RedisCacheStore.using(stranger));
    stranger.shutdown(Duration.ZERO, Duration.ofSeconds(1));
    assertThat(refused).hasMessageContaining("wants a password");
    assertThat(refused.isRetryable()).isFalse();
  }

  @Test
  void aRedisThatIsNotThereIsSaidSoAtTheStart() {
    server.kill();
    assertThatThrownBy(() -> RedisCacheStore.using(client))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("connecting to Redis failed");
    server.restart();
  }

  @Test
  void leavesForeignKeysAlone() {
    redis(commands -> commands.lpush(state("y"), "theirs"));
    StoreException theirs = refused();
    assertThat(theirs.isRetryable()).isFalse();
    assertThat(theirs).hasMessageContaining("use another prefix");
    assertThatThrownBy(() -> store.invalidate("y")).hasMessageContaining("use another prefix");
    redis(commands -> assertThat(commands.llen(state("y"))).isEqualTo(1));
  }

  @Test
  void aClosedStoreSaysSo() {
    store.close();
    StoreException closed = refused();
    assertThat(closed.isRetryable()).isFalse();
    assertThat(closed).hasMessageContaining("closed");
  }

  private static String state(String name) {
    return new String(new CacheKeys("holdfast").state(name), UTF_8);
  }

  private StoreException refused() {
    Value value = new Value("y", new byte[] {1}, 1, 0, LONG, LONG);
    return catchThrowableOfType(StoreException.class, () -> store.put(value));
  }

  private void redis(Consumer<RedisCommands<String, String>> action) {
    try (StatefulRedisConnection<String, String> connection = client.connect()) {
      action.accept(connection.sync());
    }
  }
}
