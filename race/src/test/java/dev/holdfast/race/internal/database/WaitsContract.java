package dev.holdfast.race.internal.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who waits for whom. */
abstract class WaitsContract extends DatabaseFixture {
  private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(10);

  @BeforeEach
  void stock() throws SQLException {
    given(
        "create table stock (id int primary key, qty int)",
        "insert into stock values (1, 10), (2, 20), (3, 30)");
  }

  @Test
  void reportsWaits() {
    assertThat(database.reportsWaits()).isTrue();
    assertThat(database.whyNoWaits()).isEmpty();
  }

  @Test
  void reportsNoWaitWithoutLock() throws Exception {
    Actor ana = actor();
    Actor ben = actor();
    ana.run("update stock set qty = 1 where id = 1");
    ben.run("update stock set qty = 1 where id = 2");
    assertThat(database.waits(Set.of(ana.session, ben.session))).isEmpty();
    assertThat(database.waits(Set.of())).isEmpty();
  }

  @Test
  void reportsWaiterUntilCommit() throws Exception {
    Actor ana = actor();
    Actor ben = actor();
    Set<Long> both = Set.of(ana.session, ben.session);
    List<Duration> seenAfter = new ArrayList<>();
    for (int round = 0; round < 20; round++) {
      ana.run("update stock set qty = qty + 1 where id = 1");
      Future<Boolean> waiting = ben.begin("update stock set qty = qty + 1 where id = 1");
      long begin = System.nanoTime();
      awaitWaits(both, Map.of(ben.session, Set.of(ana.session)));
      seenAfter.add(Duration.ofNanos(System.nanoTime() - begin));
      ana.raw.commit();
      waiting.get(10, TimeUnit.SECONDS);
      assertThat(database.waits(both)).as("round %d", round).isEmpty();
      ben.raw.commit();
    }
    assertThat(schema.count("select qty from stock where id = 1")).isEqualTo(50);
    Collections.sort(seenAfter);
    assertThat(seenAfter.get(10))
        .as("in half of the rounds; a view that is stale for 100 ms would take longer in all")
        .isLessThan(Duration.ofMillis(90));
  }

  @Test
  void namesRightBlocker() throws Exception {
    Actor ana = actor();
    Actor ben = actor();
    Actor eve = actor();
    List<Duration> namedAfter = new ArrayList<>();
    for (int round = 0; round < 4; round++) {
      namedAfter.add(waitsForTheFirst(ben, ana, eve));
      namedAfter.add(waitsForTheFirst(ben, eve, ana));
    }
    Collections.sort(namedAfter);
    assertThat(namedAfter.get(4))
        .as(
            "in half of the rounds; whoever asks a stale view too often is told late: %s",
            namedAfter)
        .isLessThan(Duration.ofMillis(400));
  }

  private Duration waitsForTheFirst(Actor waiter, Actor first, Actor second) throws Exception {
    first.run("update stock set qty = 1 where id = 1");
    second.run("update stock set qty = 1 where id = 2");
    Future<Boolean> waiting = waiter.begin("update stock set qty = 2 where id = 1");
    long begin = System.nanoTime();
    awaitWaits(
        Set.of(first.session, waiter.session, second.session),
        Map.of(waiter.session, Set.of(first.session)));
    Duration namedAfter = Duration.ofNanos(System.nanoTime() - begin);
    first.raw.rollback();
    waiting.get(10, TimeUnit.SECONDS);
    waiter.raw.rollback();
    second.raw.rollback();
    return namedAfter;
  }

  @Test
  void theBlockerMayBeNoActor() throws Exception {
    Actor stranger = actor();
    Actor ben = actor();
    stranger.run("update stock set qty = 1 where id = 1");
    Future<Boolean> waiting = ben.begin("update stock set qty = 2 where id = 1");
    awaitWaits(Set.of(ben.session), Map.of(ben.session, Set.of(stranger.session)));
    assertThat(database.describe(stranger.session)).startsWith("session " + stranger.session);
    assertThat(database.describe(ben.session)).contains("update stock set qty = 2");
    assertThat(database.describe(987654)).isEqualTo("session 987654");
    stranger.raw.rollback();
    waiting.get(10, TimeUnit.SECONDS);
  }

  @Test
  void oneThatOnlyComputesDoesNotWait() throws Exception {
    Actor ana = actor();
    ana.run("select count(*) from stock");
    assertThat(database.waits(Set.of(ana.session))).isEmpty();
  }

  @Test
  void controlConnectionIsNoActor() throws Exception {
    assertThat(database.control().getAutoCommit()).isTrue();
    assertThat(database.enter(database.control())).isNotEqualTo(actor().session);
  }

  @Test
  void leavingABrokenConnectionIsQuiet() throws Exception {
    Actor ana = actor();
    database.leave(ana.raw);
    ana.raw.close();
    database.leave(ana.raw);
  }

  void awaitWaits(Set<Long> sessions, Map<Long, Set<Long>> expected) throws SQLException {
    long end = System.nanoTime() + LOCK_TIMEOUT.toNanos();
    Map<Long, Set<Long>> seen = Map.of();
    while (!seen.equals(expected) && System.nanoTime() < end) {
      seen = database.waits(sessions);
    }
    assertThat(seen).isEqualTo(expected);
  }
}
