package dev.holdfast.redis;

import static dev.holdfast.redis.Asking.LEASE;
import static dev.holdfast.redis.Asking.MARK;
import static dev.holdfast.redis.Asking.name;
import static dev.holdfast.redis.Asking.token;
import static dev.holdfast.redis.Asking.untilChange;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseRecord;
import dev.holdfast.lease.LeaseRequest.Target;
import dev.holdfast.lease.spi.LeaseStore.AcquireResult;
import dev.holdfast.lease.spi.LeaseStore.ReleaseResult;
import dev.holdfast.lease.spi.LeaseStore.Successor;
import dev.holdfast.lease.spi.LeaseStore.WaitRegistration;
import dev.holdfast.testing.TestRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RedisLeaseStoreIT {
  private static RedisClient client;
  private static RedisLeaseStore store;

  @BeforeAll
  static void connect() {
    client = RedisClient.create(TestRedis.uri().toString());
    store = RedisLeaseStore.using(client);
  }

  @AfterAll
  static void close() {
    store.close();
    client.shutdown();
  }

  static Stream<Target> wholes() {
    return Stream.of(Target.exclusive(name()), Target.write(name()), Target.permits(name(), 1, 1));
  }

  @ParameterizedTest
  @MethodSource("wholes")
  void oneHoldsItAndTheNextHasAGreaterToken(Target target) {
    Asking one = Asking.of(target);
    Asking two = Asking.of(target);
    long first = token(store.acquire(one.request()));
    assertThat(untilChange(store.acquire(two.request()))).isPositive().isLessThanOrEqualTo(LEASE);
    assertThat(store.release(one.hold(), null)).isEqualTo(new ReleaseResult.Released());
    assertThat(token(store.acquire(two.request()))).isGreaterThan(first);
  }

  @ParameterizedTest
  @MethodSource("wholes")
  void repeatedAcquireReturnsSameToken(Target target) {
    Asking one = Asking.of(target);
    long token = token(store.acquire(one.request()));
    assertThat(token(store.acquire(one.waiting()))).isEqualTo(token);
    assertThat(store.renew(one.hold(), LEASE)).isEqualTo(Lease.RenewResult.RENEWED);
    assertThat(token(store.acquire(one.queued()))).isEqualTo(token);
  }

  @ParameterizedTest
  @MethodSource("wholes")
  void repeatedReleaseReturnsSameResult(Target target) {
    Asking one = Asking.of(target);
    token(store.acquire(one.request()));
    assertThat(store.release(one.hold(), null)).isEqualTo(new ReleaseResult.Released());
    assertThat(store.release(one.hold(), null)).isEqualTo(new ReleaseResult.Released());
    token(store.acquire(Asking.of(target).request()));
    assertThat(store.release(one.hold(), null)).isEqualTo(new ReleaseResult.Lost());
  }

  @ParameterizedTest
  @MethodSource("wholes")
  void expiredLeaseStaysLost(Target target) {
    Asking one = Asking.of(target);
    Asking two = Asking.of(target);
    long first = token(store.acquire(one.request(Duration.ofMillis(100), null)));
    await().until(() -> store.renew(one.hold(), Duration.ofMillis(1)) == Lease.RenewResult.LOST);
    assertThat(store.renew(one.hold(), LEASE)).isEqualTo(Lease.RenewResult.LOST);
    assertThat(store.release(one.hold(), null)).isEqualTo(new ReleaseResult.Lost());
    assertThat(token(store.acquire(two.request()))).isGreaterThan(first);
    assertThat(store.renew(one.hold(), LEASE)).isEqualTo(Lease.RenewResult.LOST);
    assertThat(store.release(one.hold(), null)).isEqualTo(new ReleaseResult.Lost());
    assertThat(store.renew(two.hold(), LEASE)).isEqualTo(Lease.RenewResult.RENEWED);
  }

  @ParameterizedTest
  @MethodSource("wholes")
  void forceTakesItAwayAndRaisesTheToken(Target target) {
    Asking one = Asking.of(target);
    assertThat(store.forceRelease(target.key())).isEmpty();
    long first = token(store.acquire(one.request()));
    long raised = store.forceRelease(target.key()).orElseThrow();
    assertThat(raised).isGreaterThan(first);
    assertThat(store.forceRelease(target.key())).isEmpty();
    assertThat(store.renew(one.hold(), LEASE)).isEqualTo(Lease.RenewResult.LOST);
    assertThat(store.release(one.hold(), null)).isEqualTo(new ReleaseResult.Lost());
    assertThat(token(store.acquire(Asking.of(target).request()))).isGreaterThan(raised);
  }

  @ParameterizedTest
  @MethodSource("wholes")
  void theQueueIsServedInItsOrder(Target target) {
    Asking one = Asking.of(target);
    Asking two = Asking.of(target, "b");
    Asking three = Asking.of(target, "c");
    token(store.acquire(one.request()));
    untilChange(store.acquire(two.queued()));
    untilChange(store.acquire(three.queued()));
    untilChange(store.acquire(two.queued()));
    assertThat(store.find(target.key()).orElseThrow().waiters())
        .extracting(LeaseRecord.Waiter::instanceName)
        .containsExactly("b", "c");
    store.release(one.hold(), null);
    assertThat(untilChange(store.acquire(three.queued()))).isPositive().isLessThanOrEqualTo(MARK);
    token(store.acquire(two.queued()));
    store.release(two.hold(), null);
    token(store.acquire(three.queued()));
    assertThat(store.find(target.key()).orElseThrow().waiters()).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("wholes")
  void departedWaiterDoesNotBlock(Target target) {
    Asking one = Asking.of(target);
    Asking gone = Asking.of(target);
    Asking givesUp = Asking.of(target);
    Asking last = Asking.of(target);
    token(store.acquire(one.request()));
    untilChange(
        store.acquire(gone.request(LEASE, new WaitRegistration(Duration.ofMillis(300), true))));
    untilChange(store.acquire(givesUp.queued()));
    untilChange(store.acquire(last.queued()));
    store.release(one.hold(), null);
    assertThat(untilChange(store.acquire(last.queued())))
        .isLessThanOrEqualTo(Duration.ofMillis(300));
    assertThat(store.release(givesUp.hold(), null)).isEqualTo(new ReleaseResult.Lost());
    await().until(() -> store.acquire(last.queued()) instanceof AcquireResult.Granted);
  }

  @Test
  void aReleaseHandsOverInTheSameStep() {
    Target target = Target.exclusive(name());
    Asking one = Asking.of(target);
    Asking two = Asking.of(target);
    long first = token(store.acquire(one.request()));
    Successor successor = new Successor(two.request(), true);
    ReleaseResult freed = store.release(one.hold(), successor);
    assertThat(freed).isInstanceOf(ReleaseResult.HandedOver.class);
    assertThat(((ReleaseResult.HandedOver) freed).token()).isGreaterThan(first);
    assertThat(store.release(one.hold(), successor)).isEqualTo(freed);
    assertThat(store.renew(one.hold(), LEASE)).isEqualTo(Lease.RenewResult.LOST);
    assertThat(store.renew(two.hold(), LEASE)).isEqualTo(Lease.RenewResult.RENEWED);
    assertThat(store.release(two.hold(), null)).isEqualTo(new ReleaseResult.Released());
    assertThat(store.release(one.hold(), successor)).isEqualTo(new ReleaseResult.Lost());
  }

  @Test
  void doesNotHandOverPastOtherProcess() {
    Target target = Target.exclusive(name());
    Asking one = Asking.of(target, "here");
    Asking two = Asking.of(target, "here");
    Asking there = Asking.of(target, "there");
    token(store.acquire(one.request()));
    untilChange(store.acquire(two.waiting()));
    untilChange(store.acquire(there.waiting()));
    assertThat(store.release(one.hold(), new Successor(two.waiting(), false)))
        .isInstanceOf(ReleaseResult.HandedOver.class);
    Asking three = Asking.of(target, "here");
    assertThat(store.release(two.hold(), new Successor(three.waiting(), true)))
        .isEqualTo(new ReleaseResult.Released());
    token(store.acquire(there.waiting()));
    // who has yielded is in line again
    Asking four = Asking.of(target, "there");
    assertThat(store.release(there.hold(), new Successor(four.waiting(), true)))
        .isEqualTo(new ReleaseResult.Released());
    token(store.acquire(three.waiting()));
  }

  @Test
  void waitingWriterPrecedesLaterReaders() {
    String name = name();
    Asking reader = Asking.of(Target.read(name));
    Asking other = Asking.of(Target.read(name));
    Asking writer = Asking.of(Target.write(name));
    Asking late = Asking.of(Target.read(name));
    long first = token(store.acquire(reader.request()));
    assertThat(token(store.acquire(other.request()))).isGreaterThan(first);
    untilChange(store.acquire(writer.queued()));
    untilChange(store.acquire(late.request()));
    untilChange(store.acquire(late.queued()));
    store.release(reader.hold(), null);
    untilChange(store.acquire(writer.queued()));
    store.release(other.hold(), null);
    token(store.acquire(writer.queued()));
    untilChange(store.acquire(late.queued()));
    store.release(writer.hold(), null);
    token(store.acquire(late.queued()));
  }

  @Test
  void aSemaphoreGivesOutItsPermitsAndNoMore() {
    String name = name();
    Asking two = Asking.of(Target.permits(name, 2, 3));
    Asking one = Asking.of(Target.permits(name, 1, 3));
    Asking more = Asking.of(Target.permits(name, 2, 3), "more");
    token(store.acquire(two.request(Duration.ofMillis(200), null)));
    token(store.acquire(one.request()));
    untilChange(store.acquire(more.request()));
    await().until(() -> store.acquire(more.request()) instanceof AcquireResult.Granted);
    LeaseRecord found = store.find(one.key()).orElseThrow();
    assertThat(found.holders())
        .extracting(LeaseRecord.Holder::instanceName, LeaseRecord.Holder::permits)
        .containsExactlyInAnyOrder(tuple("a", 1), tuple("more", 2));
    assertThat(found.holders()).allSatisfy(holder -> assertThat(holder.remaining()).isPositive());
  }

  static List<String> oddNames() {
    return List.of(
        "}",
        "{}",
        "}{",
        "{a}b",
        "a}b{c}",
        " ",
        "a ",
        "*?[x]\\",
        "line\nbreak\r\n",
        "Grüße, 世界 👋",
        "x".repeat(300),
        "👋".repeat(150));
  }

  @ParameterizedTest
  @MethodSource("oddNames")
  void aNameMayBeAnything(String odd) {
    for (Target target :
        List.of(Target.exclusive(odd), Target.write(odd), Target.permits(odd, 1, 1))) {
      Asking one = Asking.of(target);
      Asking two = Asking.of(target);
      token(store.acquire(one.request()));
      untilChange(store.acquire(two.queued()));
      assertThat(store.list(odd, null, 100)).extracting(LeaseRecord::key).contains(target.key());
      assertThat(store.release(one.hold(), null)).isEqualTo(new ReleaseResult.Released());
      token(store.acquire(two.queued()));
      assertThat(store.release(two.hold(), null)).isEqualTo(new ReleaseResult.Released());
    }
  }

  @Test
  void theListIsInOrderAndInPages() {
    String name = name();
    List<LeaseKey> keys =
        Stream.of("", "-a", "-b", "-c").map(end -> LeaseKey.exclusive(name + end)).toList();
    keys.forEach(key -> token(store.acquire(Asking.of(new Target(key, 1, 1)).request())));
    Asking freed = Asking.of(Target.exclusive(name + "-free"));
    token(store.acquire(freed.request()));
    store.release(freed.hold(), null);
    assertThat(store.list(name, null, 100)).extracting(LeaseRecord::key).isEqualTo(keys);
    assertThat(store.list(name, keys.get(0), 2))
        .extracting(LeaseRecord::key)
        .isEqualTo(keys.subList(1, 3));
    assertThat(store.find(freed.key()).orElseThrow().holders()).isEmpty();
    assertThat(store.find(LeaseKey.exclusive(name + "-never"))).isEmpty();
  }

  @Test
  void theKeysOfALeaseDoNotStayForEver() {
    Target target = Target.permits(name(), 1, 1);
    token(store.acquire(Asking.of(target).request()));
    untilChange(store.acquire(Asking.of(target).queued()));
    Target exclusive = Target.exclusive(target.key().name());
    Asking holder = Asking.of(exclusive);
    token(store.acquire(holder.request()));
    untilChange(store.acquire(Asking.of(exclusive).queued()));
    store.release(holder.hold(), null);
    try (StatefulRedisConnection<String, String> connection = client.connect()) {
      List<String> keys = connection.sync().keys("*" + target.key().name() + "*");
      assertThat(keys).hasSize(6);
      assertThat(keys)
          .allSatisfy(
              key ->
                  assertThat(connection.sync().pttl(key))
                      .isBetween(
                          Duration.ofHours(23).toMillis(),
                          Duration.ofDays(1).plus(LEASE).toMillis()));
    }
  }
}
