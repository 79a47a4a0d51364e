package dev.holdfast.race.internal.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.race.internal.jdbc.SqlText.Control;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SqlTextTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "select 1",
        " ( SELECT * from a)",
        "/* a */ -- b\n select count(*), max(x) from a where b in (1, 2) and exists (select 1)",
        "with t as (select 1) select * from t",
        "values (1, 2)",
        "select 'for update; delete from x', \"update\" from a",
        "select coalesce(sum(amount), 0)::bigint from a where code = $1",
        "select data->>'x', data#>>'{a}' from a where jsonb_array_length(data) > 1",
        "select cast(x as varchar(10)), row_number() over (partition by y order by z) from a",
        "explain select 1",
        "select share, lock_version, last_update from funds",
        "set statement max_statement_time = 1 for select 1",
      })
  void aPlainRead(String sql) {
    assertThat(SqlText.of(sql).plainRead()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "update a set b = 1",
        "set statement innodb_lock_wait_timeout = 0 for update a set b = 1",
        "select * from a for update",
        "select * from a FOR NO KEY UPDATE skip locked",
        "select * from a for share",
        "select * from a for key share",
        "select * from a lock in share mode",
        "select * into b from a",
        "with gone as (delete from a returning *) select * from gone",
        "select redeem('TEN')",
        "select \"redeem\"('TEN')",
        "select app.count(1)",
        "select pg_advisory_xact_lock(1)",
        "select nextval('s'), a from b",
        "select next value for s, a from b",
        "explain analyze delete from a",
        "select 1 /*! for update */ from a",
        "select 1; delete from a",
        "select 'it\\'s' from a",
        "{call redeem(?)}",
        "",
      })
  void notSurelyAPlainRead(String sql) {
    assertThat(SqlText.of(sql).plainRead()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT @@SESSION.lock_wait_timeout",
        "select @@session.lock_wait_timeout, @@session.idle_transaction_timeout",
        "select nextval('s')",
        "select nextval('s') from generate_series(1, 50)",
        "select next value for s",
        "select next value for s from dual",
        "values next value for s",
        "values (next value for s)",
        "select s.nextval from dual",
        "select next_val as id_val from ids for update",
        "SET search_path = x",
        "show transaction_isolation",
        "reset all;",
        "BEGIN",
        "begin isolation level serializable",
        "start transaction",
        "savepoint a",
        "release savepoint a",
      })
  void noStep(String sql) {
    assertThat(SqlText.of(sql).atOnce()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "select @@session.lock_wait_timeout, max(id) from a",
        "select @@session.lock_wait_timeout from a",
        "select @@session.a, redeem(1)",
        "set constraints all immediate",
        "select nextval('s'), pay(5)",
        "select nextval('s') from orders",
        "commit",
        "begin; update a set b = 1; commit",
        "begin not atomic update a set b = 1; end",
        "select 1",
      })
  void aStep(String sql) {
    assertThat(SqlText.of(sql).atOnce()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "begin work, BEGIN",
    "Start Transaction Read Only, BEGIN",
    "commit, COMMIT",
    "END, COMMIT",
    "rollback work, ROLLBACK",
    "rollback to savepoint a, ROLLBACK_TO",
    "rollback to a, ROLLBACK_TO",
    "set autocommit = 0, AUTOCOMMIT",
    "begin; update a set b = 1, BEGIN",
    "begin; update a set b = 1; commit, COMMIT",
    "commit prepared 'a', NONE",
    "update a set b = 'commit', NONE",
  })
  void whatItDoesToTheTransaction(String sql, Control control) {
    assertThat(SqlText.of(sql).control()).isEqualTo(control);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "vacuum a",
        "create database a",
        "create unique index concurrently i on a(b)",
        "reindex table concurrently a",
        "alter system set x = 1",
        "lock tables a write",
        "call settle()",
        "commit",
      })
  void whatCannotBeSplitFromItsCommit(String sql) {
    assertThat(SqlText.of(sql).splittable()).isFalse();
  }

  @Test
  void othersCan() {
    assertThat(SqlText.of("update a set b = 1").splittable()).isTrue();
    assertThat(SqlText.of("create table a(b int)").splittable()).isTrue();
    assertThat(SqlText.of("create function f() as $x$ begin; commit; $x$").single()).isTrue();
  }

  @Test
  void settingsForOneStatementAreThatStatement() {
    SqlText text =
        SqlText.of("SET STATEMENT innodb_lock_wait_timeout = 0 FOR INSERT INTO a VALUES (1)");
    assertThat(text.atOnce()).isFalse();
    assertThat(text.splittable()).isTrue();
    assertThat(SqlText.of("SET STATEMENT max_statement_time = 1 FOR COMMIT").isEnd()).isTrue();
  }
}
