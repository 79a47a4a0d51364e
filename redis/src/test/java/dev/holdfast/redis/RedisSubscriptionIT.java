package dev.holdfast.redis;

import static dev.holdfast.redis.Asking.name;
import static dev.holdfast.redis.Asking.token;
import static dev.holdfast.redis.Asking.untilChange;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.lease.LeaseRequest.Target;
import dev.holdfast.lease.spi.LeaseStore.Subscription;
import dev.holdfast.lease.spi.LeaseStore.Successor;
import dev.holdfast.testing.KillableRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class RedisSubscriptionIT {
  private static KillableRedis server;
  private static RedisClient client;
  private static RedisLeaseStore store;

  @BeforeAll
  static void connect() {
    server = KillableRedis.start();
    client = RedisClient.create(server.uri());
    store = RedisLeaseStore.using(client);
  }

  @AfterAll
  static void close() {
    store.close();
    client.shutdown();
    server.close();
  }

  @Test
  void releaseNotifiesAllIfWaiterExists() {
    Target target = Target.exclusive(name() + " }{ 👋");
    Asking one = Asking.of(target);
    Heard heard = new Heard();
    try (Subscription subscription = store.subscribe(heard)) {
      await().until(subscription::isActive);
      assertThat(heard.missedTimes()).isEqualTo(1);
      token(store.acquire(one.request()));
      untilChange(store.acquire(Asking.of(target, "b").waiting()));
      store.release(one.hold(), null);
      await().until(() -> !heard.of(target.key()).isEmpty());
      assertThat(heard.of(target.key()))
          .containsExactly(new Heard.News("released", target.key(), null));
    }
  }

  @Test
  void releaseNotifiesNextInTurn() {
    for (Target target : List.of(Target.exclusive(name()), Target.permits(name(), 1, 1))) {
      Asking one = Asking.of(target);
      Asking two = Asking.of(target);
      Asking three = Asking.of(target);
      Heard heard = new Heard();
      try (Subscription subscription = store.subscribe(heard)) {
        await().until(subscription::isActive);
        token(store.acquire(one.request()));
        untilChange(store.acquire(two.queued()));
        untilChange(store.acquire(three.queued()));
        store.release(one.hold(), null);
        await().until(() -> !heard.of(target.key()).isEmpty());
        store.release(two.hold(), null);
        await().until(() -> heard.of(target.key()).size() == 2);
        assertThat(heard.of(target.key()))
            .containsExactly(
                new Heard.News("released", target.key(), two.owner()),
                new Heard.News("released", target.key(), three.owner()));
      }
    }
  }

  @Test
  void admittedReaderNotifiesNextReader() {
    String name = name();
    Asking writer = Asking.of(Target.write(name));
    Asking one = Asking.of(Target.read(name));
    Asking two = Asking.of(Target.read(name));
    Heard heard = new Heard();
    try (Subscription subscription = store.subscribe(heard)) {
      await().until(subscription::isActive);
      token(store.acquire(writer.request()));
      untilChange(store.acquire(one.queued()));
      untilChange(store.acquire(two.queued()));
      store.release(writer.hold(), null);
      token(store.acquire(one.queued()));
      await()
          .until(
              () ->
                  heard
                      .of(writer.key())
                      .contains(new Heard.News("released", writer.key(), two.owner())));
    }
  }

  @Test
  void skipsNotificationWithoutWaiters() {
    Target quiet = Target.exclusive(name());
    Target loud = Target.exclusive(name());
    Asking one = Asking.of(quiet);
    Asking two = Asking.of(quiet);
    Asking last = Asking.of(loud);
    Heard heard = new Heard();
    try (Subscription subscription = store.subscribe(heard)) {
      await().until(subscription::isActive);
      token(store.acquire(one.request()));
      untilChange(store.acquire(two.waiting()));
      store.release(one.hold(), new Successor(two.waiting(), true));
      store.release(two.hold(), null);
      token(store.acquire(last.request()));
      store.forceRelease(loud.key());
      await().until(() -> !heard.of(loud.key()).isEmpty());
      assertThat(heard.of(quiet.key())).isEmpty();
      assertThat(heard.of(loud.key())).containsExactly(new Heard.News("revoked", loud.key(), null));
    }
  }

  @Test
  void resubscribesAndReportsGap() {
    Heard heard = new Heard();
    try (Subscription subscription = store.subscribe(heard)) {
      await().until(subscription::isActive);
      server.kill();
      await().until(() -> !subscription.isActive());
      server.restart();
      await().until(subscription::isActive);
      assertThat(heard.missedTimes()).isEqualTo(2);
      Target target = Target.exclusive(name());
      token(store.acquire(Asking.of(target).request()));
      store.forceRelease(target.key());
      await().until(() -> !heard.of(target.key()).isEmpty());
    }
  }

  @Test
  void itWaitsForARedisThatIsNotThereYet() {
    server.kill();
    Heard heard = new Heard();
    try (Subscription subscription = store.subscribe(heard)) {
      assertThat(subscription.isActive()).isFalse();
      server.restart();
      await().until(subscription::isActive);
      assertThat(heard.missedTimes()).isEqualTo(1);
    }
  }

  @Test
  void aClosedOneLeavesNoConnection() {
    Subscription subscription = store.subscribe(new Heard());
    await().until(subscription::isActive);
    subscription.close();
    assertThat(subscription.isActive()).isFalse();
    try (StatefulRedisConnection<String, String> connection = client.connect()) {
      await().until(() -> !connection.sync().clientList().contains("cmd=subscribe"));
    }
  }

  @Test
  void closingAfterClientIsSilent() {
    RedisClient leaving = RedisClient.create(server.uri());
    RedisLeaseStore leavingStore = RedisLeaseStore.using(leaving);
    Subscription subscription = leavingStore.subscribe(new Heard());
    await().until(subscription::isActive);
    PrintStream before = System.err;
    ByteArrayOutputStream logged = new ByteArrayOutputStream();
    System.setErr(new PrintStream(logged, true, UTF_8));
    try {
      leavingStore.close();
      leaving.shutdown();
      subscription.close();
      leavingStore.close();
    } finally {
      System.setErr(before);
    }
    assertThat(logged.toString(UTF_8)).doesNotContain("already closed");
  }
}
