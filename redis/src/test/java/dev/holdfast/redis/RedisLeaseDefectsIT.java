package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.StoreException;
import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseRequest;
import dev.holdfast.lease.Leases;
import dev.holdfast.testing.KillableRedis;
import dev.holdfast.testing.TestRedis;
import dev.holdfast.testing.contract.LeaseDefectsContract;
import dev.holdfast.testing.contract.LeaseInputContract;
import dev.holdfast.testing.contract.LeaseReleaseContract;
import dev.holdfast.testing.contract.LeaseStoreFixture;
import dev.holdfast.testing.contract.LeaseThreadsContract;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Leases on Redis have none of the known defects of others. */
class RedisLeaseDefectsIT {
  private static RedisClient client;
  private static StatefulRedisConnection<String, String> connection;

  @BeforeAll
  static void connect() {
    client = RedisClient.create(TestRedis.uri().toString());
    connection = client.connect();
  }

  @AfterAll
  static void close() {
    client.shutdown();
  }

  private static LeaseStoreFixture place() {
    return new RedisPlace(
        options -> RedisLeaseStore.using(client, options),
        pattern -> connection.sync().keys(pattern).forEach(key -> connection.sync().del(key)));
  }

  @Nested
  class Defects extends LeaseDefectsContract {
    Defects() {
      super(RedisLeaseDefectsIT::place);
    }
  }

  @Nested
  class GivingBack extends LeaseReleaseContract {
    GivingBack() {
      super(RedisLeaseDefectsIT::place);
    }
  }

  @Nested
  class Threads extends LeaseThreadsContract {
    Threads() {
      super(RedisLeaseDefectsIT::place);
    }
  }

  @Nested
  class Input extends LeaseInputContract {
    Input() {
      super(RedisLeaseDefectsIT::place);
    }
  }

  /** redisson#3194: the watchdog was dead after a reconnect. */
  @Test
  void renewalsGoOnAfterTheConnectionWasCut() {
    Duration brief = Duration.ofSeconds(2);
    try (KillableRedis server = KillableRedis.start()) {
      RedisClient own = RedisClient.create(server.uri());
      try (RedisLeaseStore store = RedisLeaseStore.using(own);
          StatefulRedisConnection<String, String> operator = own.connect()) {
        Lease lease =
            Holdfast.createLeases(store).acquire(LeaseRequest.of(Asking.name(), brief).autoRenew());
        for (int i = 0; i < 3; i++) {
          operator.sync().clientKill(KillArgs.Builder.typeNormal().skipme());
          long next = System.nanoTime() + brief.toNanos() / 2;
          await().until(() -> System.nanoTime() - next > 0);
        }
        assertThat(lease.isValid()).isTrue();
        assertThat(lease.release()).isEqualTo(Lease.ReleaseResult.RELEASED);
      } finally {
        own.shutdown(Duration.ZERO, Duration.ofSeconds(1));
      }
    }
  }

  /** redisson#3636, #4698: the holder was cut off from Redis alone, and went on as if it held. */
  @Test
  void notifiesHolderBeforeExpiryOnOutage() throws Exception {
    try (KillableRedis server = KillableRedis.start()) {
      RedisClient own = RedisClient.create(server.uri());
      try (RedisLeaseStore store =
          RedisLeaseStore.using(
              own, RedisLeaseOptions.DEFAULTS.withTimeout(Duration.ofMillis(500)))) {
        Leases leases = Holdfast.createLeases(store);
        String name = Asking.name();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(3);
        Lease lease = leases.acquire(LeaseRequest.of(name, Duration.ofSeconds(3)).autoRenew());
        CountDownLatch told = new CountDownLatch(1);
        lease.onLost(loss -> told.countDown());
        server.kill();

        assertThat(told.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(System.nanoTime() - end).as("before the end").isNegative();
        assertThat(lease.isValid()).isFalse();
        assertThatThrownBy(lease::release)
            .isInstanceOf(StoreException.class)
            .hasMessageContaining("may have worked or not");
        assertThatThrownBy(
                () ->
                    leases.acquire(
                        LeaseRequest.of(name, Asking.LEASE).waitTimeout(Duration.ofMillis(200))))
            .isInstanceOf(StoreException.class);

        server.restart();
        await()
            .ignoreExceptionsInstanceOf(StoreException.class)
            .until(() -> leases.acquire(name, Asking.LEASE).token() > lease.token());
        assertThat(lease.release()).as("its data is lost").isEqualTo(Lease.ReleaseResult.LOST);
      } finally {
        own.shutdown(Duration.ZERO, Duration.ofSeconds(1));
      }
    }
  }

  /** redisson#6510: keys of tokens that never expire. Others are in RedisLeaseStoreIT. */
  @Test
  void everyKeyThatIsLeftExpires() {
    RedisPlace place = (RedisPlace) place();
    Leases leases = Holdfast.createLeases(place.open());
    for (LeaseRequest request :
        List.of(
            LeaseRequest.of("x", Asking.LEASE),
            LeaseRequest.write("x", Asking.LEASE),
            LeaseRequest.permits("x", 1, 2, Asking.LEASE))) {
      leases.acquire(request.waitTimeout(Asking.LEASE)).close();
      leases.acquire(request.waitTimeout(Asking.LEASE));
      leases.forceRelease(request.key());
    }
    assertThat(connection.sync().keys(place.pattern()))
        .isNotEmpty()
        .allSatisfy(key -> assertThat(connection.sync().pttl(key)).isPositive());
  }
}
