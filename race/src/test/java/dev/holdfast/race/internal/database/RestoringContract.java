package dev.holdfast.race.internal.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What was remembered is put back. */
abstract class RestoringContract extends DatabaseFixture {

  @Test
  void rowsAreAsTheyWere() throws Exception {
    given(
        "create table stock (id int primary key, qty int, note varchar(20))",
        "create table log (id int primary key)",
        "insert into stock values (1, 10, 'it''s'), (2, null, null)");
    for (int run = 0; run < 3; run++) {
      schema.execute(
          "update stock set qty = 99",
          "delete from stock where id = 2",
          "insert into stock values (3, 1, 'new')",
          "insert into log values (1)");
      database.reset(Set.of("stock", "log"));
      assertThat(rows("select id, qty, note from stock order by id"))
          .containsExactly("1 10 it's", "2 null null");
      assertThat(schema.count("select count(*) from log")).isZero();
    }
  }

  @Test
  void whatIsNotAskedForStays() throws Exception {
    given("create table a (id int primary key)", "create table b (id int primary key)");
    schema.execute("insert into a values (1)", "insert into b values (1)");
    database.reset(Set.of("b"));
    database.reset(Set.of());
    assertThat(schema.count("select count(*) from a")).isEqualTo(1);
    assertThat(schema.count("select count(*) from b")).isZero();
  }

  @Test
  void secondRememberReplacesFirst() throws Exception {
    given("create table a (id int primary key)", "insert into a values (1)");
    given("create table b (id int primary key)", "insert into a values (2)");
    assertThat(database.tables()).containsExactlyInAnyOrder("a", "b");
    schema.execute("delete from a");
    database.reset(Set.of("a"));
    assertThat(rows("select id from a order by id")).containsExactly("1", "2");
  }

  @Test
  void restoresParentsAndChildren() throws Exception {
    given(
        "create table parent (id int primary key, v int)",
        "create table a_child (id int primary key, parent_id int references parent (id))",
        "create table z_child (id int primary key, parent_id int,"
            + " foreign key (parent_id) references parent (id) on delete cascade)",
        "insert into parent values (1, 1), (2, 2)",
        "insert into a_child values (1, 1)",
        "insert into z_child values (1, 2)");
    schema.execute("delete from parent where id = 2", "update parent set v = 9");
    database.reset(written("delete from parent where id = 2"));
    assertThat(rows("select * from parent order by id")).containsExactly("1 1", "2 2");
    assertThat(rows("select * from a_child")).containsExactly("1 1");
    assertThat(rows("select * from z_child")).containsExactly("1 2");
  }

  @Test
  void aTableThatOthersReferToComesBackAlone() throws Exception {
    given(
        "create table parent (id int primary key, v int)",
        "create table child (id int primary key, parent_id int,"
            + " foreign key (parent_id) references parent (id))",
        "insert into parent values (1, 1)",
        "insert into child values (1, 1)");
    schema.execute("update parent set v = 2");
    database.reset(Set.of("parent"));
    assertThat(rows("select * from parent")).containsExactly("1 1");
    assertThat(rows("select * from child")).containsExactly("1 1");
  }

  @Test
  void restoresCyclicReferences() throws Exception {
    given(
        "create table node (id int primary key, up int,"
            + " foreign key (up) references node (id))",
        "create table a (id int primary key, b_id int)",
        "create table b (id int primary key, a_id int," + " foreign key (a_id) references a (id))",
        "alter table a add constraint a_to_b foreign key (b_id) references b (id)",
        "insert into node values (3, null)",
        "insert into node values (1, 3)",
        "insert into node values (2, 1)",
        "update node set up = 2 where id = 3",
        "insert into a values (1, null)",
        "insert into b values (1, 1)",
        "update a set b_id = 1");
    for (int run = 0; run < 2; run++) {
      schema.execute("update node set up = null", "update a set b_id = null", "delete from b");
      database.reset(Set.of("node", "a", "b"));
      assertThat(rows("select * from node order by id")).containsExactly("1 3", "2 1", "3 2");
      assertThat(rows("select * from a")).containsExactly("1 1");
      assertThat(rows("select * from b")).containsExactly("1 1");
    }
    assertThatThrownBy(() -> schema.execute("insert into b values (5, 77)"))
        .as("foreign keys are checked again")
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void generatedAndComputedColumnsComeBack() throws Exception {
    given(
        "create table orders (id %s, v int, doubled %s, %s int)"
            .formatted(server().identity(), server().computed("v * 2"), server().quoted("from")),
        "insert into orders (v) values (1), (2)");
    List<String> before = rows("select id, v, doubled from orders order by id");
    schema.execute("update orders set v = 9", "insert into orders (v) values (3)");
    database.reset(Set.of("orders"));
    assertThat(rows("select id, v, doubled from orders order by id")).isEqualTo(before);
  }

  @Test
  void generatedIdsAreKnownAndNeverGivenTwice() throws Exception {
    given(
        "create table orders (id %s, v int)".formatted(server().identity()),
        "create table items (id %s, v int)".formatted(server().identity()),
        "insert into orders (v) values (1)");
    assertThat(database.isGenerated(id("select max(id) from orders"))).isFalse();
    Set<Long> ids = new HashSet<>();
    for (int run = 0; run < 3; run++) {
      schema.execute("insert into orders (v) values (1)", "insert into items (v) values (1)");
      long order = id("select max(id) from orders");
      long item = id("select max(id) from items");
      assertThat(database.isGenerated(order)).isTrue();
      assertThat(database.isGenerated(item)).isTrue();
      assertThat(ids.add(order)).isTrue();
      assertThat(ids.add(item)).isTrue();
      database.reset(Set.of("orders", "items"));
    }
    schema.execute("insert into orders (v) values (5)");
    long old = id("select max(id) from orders");
    database.remember();
    assertThat(database.isGenerated(old)).as("it was there").isFalse();
    schema.execute("insert into orders (v) values (6)");
    long fresh = id("select max(id) from orders");
    assertThat(fresh).isGreaterThan(old);
    assertThat(database.isGenerated(fresh)).isTrue();
    assertThat(database.isGenerated(1)).isFalse();
    assertThat(database.isGenerated(4_000_000_000L)).isFalse();
  }

  @Test
  void rejectsLargeTableOnlyOnRestore() throws Exception {
    List<String> sql = new ArrayList<>();
    sql.add("create table big (id int primary key)");
    sql.add("create table small (id int primary key)");
    sql.add("insert into big values (0)");
    for (int size = 1; size <= 20_000; size *= 2) {
      sql.add("insert into big select id + " + size + " from big");
    }
    given(sql.toArray(String[]::new));
    database.reset(Set.of("small"));
    assertThatThrownBy(() -> database.reset(Set.of("small", "big")))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("20000 rows")
        .hasMessageContaining("big");
  }

  @Test
  void whatToolsOfMigrationKeepIsNoTable() throws Exception {
    given(
        "create table flyway_schema_history (id int)",
        "create table holdfast_migration (id int)",
        "create table a (id int)");
    assertThat(database.tables()).containsExactly("a");
  }

  @Test
  void anIdOfZeroComesBack() throws Exception {
    given("create table t (id int primary key, v int)", "insert into t values (0, 1)");
    schema.execute("update t set v = 2");
    database.reset(Set.of("t"));
    assertThat(rows("select * from t")).containsExactly("0 1");
  }

  long id(String sql) {
    return schema.count(sql);
  }

  /** Each row in one text. */
  List<String> rows(String sql) {
    return schema.query(sql).stream().map(RestoringContract::text).toList();
  }

  private static String text(Map<String, ?> row) {
    List<String> values = new ArrayList<>();
    row.values().forEach(value -> values.add(String.valueOf(value)));
    return String.join(" ", values);
  }
}
