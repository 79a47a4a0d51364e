package dev.holdfast.race.internal.database;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.KillableDatabase;
import dev.holdfast.testing.TestSchema;
import java.sql.Connection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What only MariaDB has. */
final class MariaDbOwnIT extends WaitsContract {
  @Override
  Server server() {
    return Server.MARIADB;
  }

  @Test
  void titleShowsSnapshotIsolation() {
    assertThat(database.title())
        .matches("MariaDB 11\\.4\\.5 \\(innodb_snapshot_isolation=(ON|OFF)\\)");
  }

  @Test
  void waitsForTheDefinitionOfATableAreSeen() throws Exception {
    Actor ana = actor();
    Actor ben = actor();
    ana.run("update stock set qty = 1 where id = 1");
    Future<Boolean> waiting = ben.begin("alter table stock add column more int");
    awaitWaits(Set.of(ana.session, ben.session), Map.of(ben.session, Set.of(ana.session)));
    ana.raw.commit();
    waiting.get(10, TimeUnit.SECONDS);
  }

  @Test
  void reportsWaitsOfReaders() throws Exception {
    Actor ana = actor();
    Actor ben = actor();
    ana.run("update stock set qty = 1 where id = 1");
    Future<Boolean> waiting = ben.begin("select * from stock where id = 1 lock in share mode");
    awaitWaits(Set.of(ana.session, ben.session), Map.of(ben.session, Set.of(ana.session)));
    ana.raw.commit();
    waiting.get(10, TimeUnit.SECONDS);
  }

  @Test
  void waitsForUserLocksAreSeen() throws Exception {
    Actor ana = actor();
    Actor ben = actor();
    Actor eve = actor();
    ana.run("select get_lock('a', 0)");
    Future<Boolean> waiting = ben.begin("select get_lock('a', 10)");
    awaitWaits(Set.of(ana.session, ben.session), Map.of(ben.session, Set.of(ana.session)));
    assertThat(database.waits(Set.of(ana.session, ben.session, eve.session)))
        .isEqualTo(Map.of(ben.session, Set.of()));
    ana.run("select release_lock('a')");
    waiting.get(10, TimeUnit.SECONDS);
    ben.run("select release_lock('a')");
  }

  @Test
  void whatTriggersWriteIsPutRight() throws Exception {
    given(
        "create table log (op int)",
        "create trigger stock_log after insert on stock for each row insert into log values (1)",
        "insert into stock values (7, 7)");
    assertThat(written("insert into stock values (8, 8)")).isEqualTo(database.tables());
    schema.execute("insert into stock values (8, 8)");
    database.reset(database.tables());
    assertThat(schema.count("select count(*) from log")).isEqualTo(1);
    assertThat(schema.count("select count(*) from stock")).isEqualTo(4);
  }

  @Test
  void functionsAreUnclearAndSequencesSpread() throws Exception {
    given(
        "create sequence numbers",
        "create function tidy() returns int modifies sql data begin delete from stock; return 1;"
            + " end");
    assertThat(written("select tidy()")).isEqualTo(database.tables());
    assertThat(database.isGenerated(schema.count("select nextval(numbers)"))).isTrue();
  }

  @Test
  void anIdOfZeroAndSpecialTypesComeBack() throws Exception {
    given(
        "create table t (id int auto_increment primary key, u bigint unsigned, b bit(3), e"
            + " enum('a', 'b'), j json, y year, n tinyint(1), x int invisible)",
        "set statement sql_mode = 'NO_AUTO_VALUE_ON_ZERO' for insert into t (id, u, b, e, j, y, n)"
            + " values (0, 18446744073709551615, b'101', 'b', '{}', 2024, 7)");
    String before = database.read(Set.of("t")).toString();
    assertThat(before).contains("18446744073709551615", "2024", "7");
    schema.execute("delete from t");
    database.reset(Set.of("t"));
    assertThat(database.read(Set.of("t")).toString()).isEqualTo(before);
  }

  /** On a server of its own: that of the other tests asks nobody for rights. */
  @Test
  void namesMissingPrivilege() throws Exception {
    try (KillableDatabase own = KillableDatabase.mariaDb();
        TestSchema there = own.database().newSchema();
        Connection root = there.unpooled().getConnection()) {
      Query.run(
          root,
          "flush privileges",
          "create user plain identified by 'secret'",
          "grant all on " + there.name() + ".* to plain",
          "create user root2 identified by 'x'",
          "grant all on *.* to root2");
      try (Database plain = Databases.open(as(there.url(), "plain", "secret"))) {
        assertThat(plain.reportsWaits()).isFalse();
        assertThat(plain.whyNoWaits()).contains("GRANT PROCESS ON *.* TO 'plain'@'%'");
        assertThat(plain.waits(Set.of(1L))).isEmpty();
        Query.run(root, "create table t (id int)");
        plain.remember();
        Query.run(root, "insert into t values (1)");
        plain.reset(Set.of("t"));
        assertThat(plain.read(Set.of("t")).get(0).rows()).isEmpty();
      }
      Query.run(root, "grant process on *.* to plain");
      try (Database plain = Databases.open(as(there.url(), "plain", "secret"))) {
        assertThat(plain.reportsWaits()).isTrue();
      }
      Query.run(root, "grant all on *.* to root@localhost identified by ''");
    }
  }
}
