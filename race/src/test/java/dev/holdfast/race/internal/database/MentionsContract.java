package dev.holdfast.race.internal.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.util.Locale;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a statement touches. */
abstract class MentionsContract extends DatabaseFixture {

  @BeforeEach
  void shop() throws SQLException {
    given(
        "create table customer (id int primary key, name varchar(20))",
        "create table orders (id int primary key, customer_id int,"
            + " foreign key (customer_id) references customer (id) on delete cascade)",
        "create table item (id int primary key, order_id int,"
            + " foreign key (order_id) references orders (id))",
        "create table log (id int primary key, text varchar(20))",
        "create table %s (id int primary key)".formatted(server().quoted("odd name")));
  }

  @Test
  void plainReadNamesTables() {
    String sql = "select * from orders o join customer c on c.id = o.customer_id";
    assertThat(written(sql)).isEmpty();
    assertThat(named(sql)).containsExactlyInAnyOrder("orders", "customer");
    assertThat(written("select * from log where id = 1 for update")).isEmpty();
    assertThat(written("with x as (select 1) select * from log, x FOR NO KEY UPDATE")).isEmpty();
    assertThat(named("select 1")).isEmpty();
    assertThat(written("-- update it?\nselect 1")).as("when in doubt").isNotEmpty();
  }

  @Test
  void findsWrittenAndCascadedTables() {
    assertThat(written("insert into log values (1, 'x')")).containsExactly("log");
    assertThat(written("UPDATE Log SET text = 'x'")).containsExactly("log");
    assertThat(written("delete from customer")).containsExactlyInAnyOrder("customer", "orders");
    assertThat(written("delete from item")).containsExactly("item");
    assertThat(written("SET STATEMENT lock_wait_timeout = 1 FOR update log set text = 'x'"))
        .containsExactly("log");
    assertThat(written("insert into %s values (1)".formatted(server().quoted("odd name"))))
        .containsExactly("odd name");
    assertThat(written("update %s set text = ''".formatted(server().quoted(stored("log")))))
        .containsExactly("log");
  }

  @Test
  void aWriteNamesWhatItsForeignKeysLookAt() {
    assertThat(named("insert into item values (1, 1)")).containsExactlyInAnyOrder("item", "orders");
    assertThat(named("update log set text = 'x'")).containsExactly("log");
  }

  @Test
  void whatIsUnclearIsAllTables() {
    assertThat(written("call cleanup()")).isEqualTo(database.tables());
    assertThat(written("{? = call cleanup(?)}")).isEqualTo(database.tables());
    assertThat(written("insert into somewhere values (1)")).isEqualTo(database.tables());
    assertThat(written("alter table log add column x int")).isEqualTo(database.tables());
    assertThat(written("select 1; do something")).isEqualTo(database.tables());
    assertThat(named("execute prepared_thing")).isEqualTo(database.tables());
    assertThat(written("set x = 1")).isEmpty();
    assertThat(written("insert into log values (1, 'a;do b')")).containsExactly("log");
  }

  @Test
  void aViewIsAllTables() throws Exception {
    given("create view recent as select * from orders");
    assertThat(named("select * from recent")).isEqualTo(database.tables());
    assertThat(written("select * from recent")).isEmpty();
    assertThat(written("update recent set customer_id = 1")).isEqualTo(database.tables());
  }

  @Test
  void someStatementsSeeWhatIsNotCommitted() {
    assertThat(database.seesUncommitted("select * from log for update skip locked")).isTrue();
    assertThat(database.seesUncommitted("select * from log for update NOWAIT")).isTrue();
    assertThat(database.seesUncommitted("select pg_try_advisory_lock(1)")).isTrue();
    assertThat(database.seesUncommitted("select get_lock('a', 0)")).isTrue();
    assertThat(database.seesUncommitted("set lock_timeout = '1s'")).isTrue();
    assertThat(database.seesUncommitted("select nextval('s')")).isTrue();
    assertThat(database.seesUncommitted("select next value for s")).isTrue();
    assertThat(database.seesUncommitted("LOCK TABLE log")).isTrue();
    assertThat(database.seesUncommitted("call cleanup()")).isTrue();
    assertThat(database.seesUncommitted("set transaction isolation level read uncommitted"))
        .isTrue();
  }

  @Test
  void mostStatementsDoNot() {
    assertThat(database.seesUncommitted("select * from log where id = ? for update")).isFalse();
    assertThat(database.seesUncommitted("update log set text = ? where id = ?")).isFalse();
    assertThat(database.seesUncommitted("insert into log (id, text) values (?, ?)")).isFalse();
    assertThat(database.seesUncommitted("delete from customer")).isFalse();
    assertThat(database.seesUncommitted("insert into log values (1, ?) on conflict do nothing"))
        .isFalse();
  }

  /** How a name is stored that was not quoted. */
  String stored(String name) {
    return server() == Server.H2 ? name.toUpperCase(Locale.ROOT) : name;
  }
}
