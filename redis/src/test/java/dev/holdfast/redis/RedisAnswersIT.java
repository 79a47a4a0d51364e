package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.Holdfast;
import dev.holdfast.StoreException;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseRequest;
import dev.holdfast.lease.LeaseRequest.Target;
import dev.holdfast.lease.Leases;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What Redis answers where it cannot: each error says what to do, and whether to try again. */
class RedisAnswersIT {
  private static ComplainingRedis redis;
  private static RedisClient client;
  private static RedisLeaseStore store;

  @BeforeAll
  static void connect() {
    redis = new ComplainingRedis();
    client = RedisClient.create(redis.uri());
    store = RedisLeaseStore.using(client);
  }

  @AfterAll
  static void close() {
    store.close();
    client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
    redis.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "LOADING Redis is loading the dataset in memory | reads its data | true",
        "OOM command not allowed when used memory > 'maxmemory'. | no memory left | true",
        "READONLY You can't write against a read only replica. | is a replica | true",
        "MASTERDOWN Link with MASTER is down | lost its master | true",
        "BUSY Redis is busy running a script. | SCRIPT KILL | true",
        "NOREPLICAS Not enough good replicas to write. | min-replicas-to-write | true",
        "CLUSTERDOWN The cluster is down | CLUSTER INFO | true",
        "TRYAGAIN Multiple keys request during rehashing | being moved | true",
        "MISCONF Redis is configured to save RDB snapshots | save its data | true",
        "WRONGTYPE Operation against a key | another prefix | false",
        "NOPERM this user has no permissions | the user may not | false",
        "NOAUTH Authentication required. | wants a password | false",
        "ERR user_script:1: -OOM command not allowed script: x | no memory left | true",
        "ERR something nobody has heard of | something nobody has heard of | false",
        "WHAT | WHAT | false",
      })
  void anErrorSaysWhatToDo(String answer, String words, boolean retryable) {
    redis.complain(answer);
    Leases leases = Holdfast.createLeases(store);
    LeaseKey key = LeaseKey.exclusive("x");
    Asking one = Asking.of(Target.exclusive("x"));
    List<ThrowingCallable> steps =
        List.of(
            () -> leases.tryAcquire("x", Asking.LEASE),
            () ->
                leases.acquire(
                    LeaseRequest.of("x", Asking.LEASE).waitTimeout(Duration.ofMillis(20))),
            () ->
                leases.acquire(
                    LeaseRequest.of("x", Asking.LEASE).fair().waitTimeout(Duration.ofMillis(20))),
            () ->
                leases.acquire(
                    LeaseRequest.read("x", Asking.LEASE).waitTimeout(Duration.ofMillis(20))),
            () -> store.renew(one.hold(), Asking.LEASE),
            () -> store.release(one.hold(), null),
            () -> leases.forceRelease(key),
            () -> leases.find(key));
    for (ThrowingCallable step : steps) {
      StoreException failure = catchThrowableOfType(StoreException.class, step);
      assertThat(failure).isNotNull().hasMessageContainingAll("'x'", words);
      assertThat(failure.isRetryable()).isEqualTo(retryable);
    }
  }
}
