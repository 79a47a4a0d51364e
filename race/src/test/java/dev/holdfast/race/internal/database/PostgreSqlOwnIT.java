package dev.holdfast.race.internal.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What only PostgreSQL has. */
final class PostgreSqlOwnIT extends DatabaseFixture {
  private static final String LOGGING =
      "create function logging() returns trigger language plpgsql as"
          + " $$ begin insert into log values (tg_op); return new; end $$";

  @Override
  Server server() {
    return Server.POSTGRESQL;
  }

  @Test
  void sessionSettingsLastForActor() throws Exception {
    Actor ana = actor();
    assertThat(idle(ana)).isEqualTo("idle");
    assertThat(Query.text(ana.raw, "show deadlock_timeout")).isEqualTo("1ms");
    assertThat(Query.text(ana.raw, "show synchronous_commit")).isEqualTo("off");
    ana.raw.rollback();
    database.leave(ana.raw);
    assertThat(idle(ana)).isEqualTo("idle");
    assertThat(Query.text(ana.raw, "show deadlock_timeout")).isEqualTo("1s");
  }

  private String idle(Actor actor) throws SQLException {
    return Query.text(
        database.control(), "select state from pg_stat_activity where pid = " + actor.session);
  }

  @Test
  void triggersDoNotRunWhenRowsArePutBack() throws Exception {
    withTriggers(database);
  }

  @Test
  void ordinaryUserRestoresCycles() throws Exception {
    String user = schema.name() + "_user";
    schema.execute(
        "create role " + user + " login password 'x'",
        "alter schema " + schema.name() + " owner to " + user);
    try (Database plain = Databases.open(as(schema.url(), user, "x"))) {
      schema.execute(
          "create table a (id int primary key, b_id int)",
          "create table b (id int primary key, a_id int references a on delete cascade)",
          "alter table a add foreign key (b_id) references b on delete restrict",
          "insert into a values (1, null)",
          "insert into b values (1, 1)",
          "update a set b_id = 1",
          "alter table a owner to " + user,
          "alter table b owner to " + user);
      plain.remember();
      schema.execute("update a set b_id = null", "delete from a");
      plain.reset(Set.of("a"));
      assertThat(schema.count("select b_id from a")).isEqualTo(1);
      assertThat(schema.count("select a_id from b")).isEqualTo(1);
      assertThat(plain.reportsWaits()).isTrue();
      withTriggers(plain, "alter table t owner to " + user, "alter table log owner to " + user);
    } finally {
      schema.execute(
          "reassign owned by " + user + " to current_user",
          "drop owned by " + user,
          "drop role " + user);
    }
  }

  private void withTriggers(Database database, String... also) throws SQLException {
    schema.execute(
        "create table t (id int primary key)",
        "create table log (op text)",
        LOGGING,
        "create trigger t_log after insert or delete on t for each row execute function logging()",
        "insert into t values (1)");
    schema.execute(also);
    database.remember();
    assertThat(database.touched("insert into t values (2)", true)).isEqualTo(database.tables());
    assertThat(database.seesUncommitted("insert into t values (2)")).isTrue();
    assertThat(database.seesUncommitted("select * from t")).isFalse();
    schema.execute("insert into t values (2)");
    database.reset(database.tables());
    assertThat(schema.count("select count(*) from t")).isEqualTo(1);
    assertThat(schema.count("select count(*) from log")).isEqualTo(1);
    schema.execute("insert into t values (3)");
    assertThat(schema.count("select count(*) from log")).as("triggers run again").isEqualTo(2);
  }

  @Test
  void aPartitionedTableIsOneTable() throws Exception {
    given(
        "create table part (id int, day int) partition by range (day)",
        "create table part_1 partition of part for values from (0) to (10)",
        "create table part_2 partition of part for values from (10) to (20)",
        "insert into part values (1, 5), (2, 15)");
    assertThat(database.tables()).containsExactly("part");
    assertThat(written("delete from part_2")).containsExactly("part");
    schema.execute("delete from part_2");
    database.reset(Set.of("part"));
    assertThat(schema.count("select count(*) from part_2")).isEqualTo(1);
    assertThat(database.read(Set.of("part")).get(0).rows()).hasSize(2);
  }

  @Test
  void tablesThatInheritAreTablesOfTheirOwn() throws Exception {
    given(
        "create table base (id int)",
        "create table derived (more int) inherits (base)",
        "insert into base values (1)",
        "insert into derived values (2, 3)");
    assertThat(written("delete from base")).containsExactlyInAnyOrder("base", "derived");
    schema.execute("delete from base");
    database.reset(written("delete from base"));
    assertThat(schema.count("select count(*) from base")).isEqualTo(2);
    assertThat(schema.count("select count(*) from only base")).isEqualTo(1);
  }

  @Test
  void functionCallIsUnclearUnlessImmutable() throws Exception {
    given(
        "create table t (id int)",
        "create function tidy() returns int language sql as $$ delete from t; select 1 $$",
        "create function doubled(n int) returns int language sql immutable as $$ select n * 2 $$");
    assertThat(written("select tidy ()")).isEqualTo(database.tables());
    assertThat(database.seesUncommitted("select tidy()")).isTrue();
    assertThat(written("select doubled(1)")).isEmpty();
    assertThat(written("select 1 as tidy")).isEmpty();
  }

  @Test
  void sequencesThatMustStaySmallAreLeftAlone() throws Exception {
    given(
        "create table small (id smallserial)",
        "create table checked (id serial check (id < 1000))",
        "create table coded (code text default 'A' || nextval('codes'))"
            .replace("create table", "create sequence codes; create table"),
        "create sequence free increment 50");
    schema.execute(
        "insert into small default values",
        "insert into checked default values",
        "insert into coded default values");
    assertThat(schema.count("select id from small")).isEqualTo(1);
    assertThat(schema.count("select id from checked")).isEqualTo(1);
    assertThat(schema.query("select code from coded").get(0)).containsValue("A1");
    long next = schema.count("select nextval('free')");
    assertThat(database.isGenerated(next)).isTrue();
    assertThat(database.isGenerated(next - 49)).as("Hibernate counts up to it").isTrue();
  }

  @Test
  void otherSchemasOnTheSearchPathCountAsWell() throws Exception {
    String second = schema.name() + "_second";
    schema.execute("create schema " + second, "create table " + second + ".t (id int)");
    schema.execute("create table t (id int)", "create table u (id int)");
    String url = schema.url().replace(schema.name(), schema.name() + "," + second);
    try (Database both = Databases.open(as(url, schema.user(), schema.password()))) {
      both.remember();
      assertThat(both.tables()).containsExactlyInAnyOrder("t", "u", second + ".t");
      schema.execute("insert into " + second + ".t values (1)");
      Set<String> touched = both.touched("insert into " + second + ".t values (1)", true);
      assertThat(touched).containsExactlyInAnyOrder("t", second + ".t");
      both.reset(touched);
      assertThat(schema.count("select count(*) from " + second + ".t")).isZero();
    } finally {
      schema.execute("drop schema " + second + " cascade");
    }
  }

  @Test
  void specialValuesCanBeRead() throws Exception {
    given(
        "create table t (a jsonb, b bytea, c timestamptz, d int[], e float8, f interval)",
        "insert into t values ('{\"k\": 1}', '\\x0aff', '2026-01-02 03:04:05+02', '{1,2}',"
            + " 'NaN', '1 day')",
        "insert into t (b, c) values (decode(repeat('00', 100), 'hex'), 'infinity')");
    assertThat(database.read(Set.of("t")).get(0).rows().toString())
        .contains("{\"k\": 1}", "0aff", "2026-01-02T01:04:05Z", "{1,2}", "NaN", "1 day")
        .contains("100 bytes, sha256 ");
  }
}
