package dev.holdfast.redis;

import static dev.holdfast.redis.Asking.name;
import static dev.holdfast.redis.Asking.token;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.holdfast.StoreException;
import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseRequest.Target;
import dev.holdfast.lease.spi.LeaseStore.ReleaseResult;
import dev.holdfast.testing.KillableRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RedisFaultsIT {
  private KillableRedis server;
  private RedisClient client;
  private RedisLeaseStore store;

  @BeforeEach
  void connect() {
    server = KillableRedis.start();
    client = RedisClient.create(server.uri());
    store =
        RedisLeaseStore.using(
            client, RedisLeaseOptions.DEFAULTS.withTimeout(Duration.ofMillis(500)));
  }

  @AfterEach
  void close() {
    store.close();
    client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
    server.close();
  }

  @Test
  void scriptsSurviveTheirBeingFlushed() {
    Asking one = Asking.of(Target.exclusive(name()));
    long token = token(store.acquire(one.request()));
    redis(RedisCommands::scriptFlush);
    assertThat(store.renew(one.hold(), Asking.LEASE)).isEqualTo(Lease.RenewResult.RENEWED);
    redis(RedisCommands::scriptFlush);
    assertThat(token(store.acquire(one.request()))).isEqualTo(token);
    redis(RedisCommands::scriptFlush);
    assertThat(store.release(one.hold(), null)).isEqualTo(new ReleaseResult.Released());
    redis(RedisCommands::scriptFlush);
    assertThat(store.find(one.key())).isPresent();
  }

  @Test
  void whatIsFlushedIsLostButTokensStillGrow() {
    for (Target target : new Target[] {Target.exclusive(name()), Target.write(name())}) {
      Asking one = Asking.of(target);
      Asking two = Asking.of(target);
      long first = token(store.acquire(one.request()));
      redis(RedisCommands::flushall);
      assertThat(store.renew(one.hold(), Asking.LEASE)).isEqualTo(Lease.RenewResult.LOST);
      assertThat(token(store.acquire(two.request()))).isGreaterThan(first);
      assertThat(store.release(one.hold(), null)).isEqualTo(new ReleaseResult.Lost());
      assertThat(store.renew(two.hold(), Asking.LEASE)).isEqualTo(Lease.RenewResult.RENEWED);
    }
  }

  @Test
  void reportsOutageAndRecovers() {
    Asking one = Asking.of(Target.exclusive(name()));
    long first = token(store.acquire(one.request()));
    server.kill();
    StoreException gone = refused(Asking.of(Target.exclusive(name())));
    assertThat(gone.isRetryable()).isTrue();
    assertThat(gone).hasMessageContaining("may have worked or not");
    server.restart();
    Asking two = Asking.of(one.target());
    await()
        .ignoreExceptionsInstanceOf(StoreException.class)
        .until(() -> token(store.acquire(two.request())) > first);
    assertThat(store.release(one.hold(), null)).isEqualTo(new ReleaseResult.Lost());
  }

  @Test
  void waitForUnresponsiveRedisIsBounded() {
    redis(commands -> commands.clientPause(1500));
    StoreException slow = refused(Asking.of(Target.exclusive(name())));
    assertThat(slow.isRetryable()).isTrue();
    assertThat(slow).hasMessageContaining("did not answer within PT0.5S");
  }

  @Test
  void interruptedThreadLearnsResult() {
    Asking one = Asking.of(Target.exclusive(name()));
    Thread.currentThread().interrupt();
    try {
      token(store.acquire(one.request()));
      assertThat(Thread.currentThread().isInterrupted()).isTrue();
    } finally {
      Thread.interrupted();
    }
  }

  @Test
  void aReplicaIsSaidToBeNoMaster() {
    redis(commands -> commands.replicaof("127.0.0.1", server.port()));
    StoreException readOnly = refused(Asking.of(Target.exclusive(name())));
    assertThat(readOnly.isRetryable()).isTrue();
    assertThat(readOnly).hasMessageContaining("is a replica");
  }

  @Test
  void aRedisWithoutMemoryIsSaidToHaveNone() {
    redis(commands -> commands.configSet("maxmemory", "1"));
    StoreException full = refused(Asking.of(Target.permits(name(), 1, 3)));
    assertThat(full.isRetryable()).isTrue();
    assertThat(full).hasMessageContaining("no memory left");
    assertThat(refused(Asking.of(Target.exclusive(name())))).hasMessageContaining("no memory left");
  }

  @Test
  void aMissingPasswordIsNotTriedAgain() {
    redis(commands -> commands.configSet("requirepass", "secret"));
    RedisClient stranger = RedisClient.create(server.uri());
    StoreException refused =
        catchThrowableOfType(StoreException.class, () -> RedisLeaseStore.using(stranger));
    stranger.shutdown(Duration.ZERO, Duration.ofSeconds(1));
    assertThat(refused.isRetryable()).isFalse();
    assertThat(refused).hasMessageContaining("wants a password");
  }

  @Test
  void aRedisThatIsNotThereIsSaidSoAtTheStart() {
    server.kill();
    assertThatThrownBy(() -> RedisLeaseStore.using(client))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("connecting to Redis failed");
    server.restart();
  }

  @Test
  void leavesForeignKeysAlone() {
    Asking one = Asking.of(Target.exclusive(name()));
    redis(commands -> commands.lpush("holdfast:lease:{e:" + one.key().name() + "}", "theirs"));
    StoreException theirs = refused(one);
    assertThat(theirs.isRetryable()).isFalse();
    assertThat(theirs).hasMessageContaining("use another prefix");
  }

  @Test
  void aClosedStoreSaysSo() {
    store.close();
    StoreException closed = refused(Asking.of(Target.exclusive(name())));
    assertThat(closed.isRetryable()).isFalse();
    assertThat(closed).hasMessageContaining("closed");
  }

  private StoreException refused(Asking one) {
    return catchThrowableOfType(StoreException.class, () -> store.acquire(one.request()));
  }

  private void redis(Consumer<RedisCommands<String, String>> action) {
    try (StatefulRedisConnection<String, String> connection = client.connect()) {
      action.accept(connection.sync());
    }
  }
}
