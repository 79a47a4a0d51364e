package dev.holdfast.testing.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.guard.ConditionalUpdate;
import dev.holdfast.guard.CreateIfAbsent;
import dev.holdfast.guard.Rollup;
import dev.holdfast.guard.RowLocks;
import dev.holdfast.guard.StuckRows;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.Transactions;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** On MariaDB, guards refuse tables that neither lock rows nor roll back, where it costs little. */
class MariaDbEnginesIT {
  private final TestSchema schema = TestDatabase.mariaDb().newSchema();
  private final Transactions transactions = Transactions.on(schema.dataSource());

  @AfterEach
  void close() {
    schema.close();
  }

  private void create(String table, String engine) {
    schema.execute(
        "create table "
            + table
            + " (id bigint primary key, status varchar(20), started_at timestamp(6) null, amount"
            + " integer, version bigint not null) engine = "
            + engine,
        "insert into " + table + " values (1, 'EXECUTING', '2020-01-01 00:00:00', 5, 0)");
  }

  private void refused(String table, String engine, Consumer<Transaction> guard) {
    String before = schema.query("select * from " + table).toString();
    assertThatThrownBy(() -> transactions.run(guard::accept))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContainingAll(table, "InnoDB", engine);
    assertThat(schema.query("select * from " + table)).hasToString(before);
  }

  private static CreateIfAbsent creation(String table) {
    return CreateIfAbsent.table(table).key("id", 2).set("version", 0);
  }

  private static StuckRows stuck(String table) {
    return StuckRows.table(table)
        .key("id")
        .status("status", "EXECUTING")
        .olderThan("started_at", Duration.ofMinutes(5))
        .recoverTo("READY")
        .version("version");
  }

  @Test
  void whereTheyLookAtTheTableAnyway() {
    for (String engine : List.of("MyISAM", "Aria", "MEMORY")) {
      String table = "tasks_" + engine.toLowerCase(java.util.Locale.ROOT);
      create(table, engine);
      refused(table, engine, tx -> creation(table).apply(tx));
      refused(table, engine, tx -> creation(schema.name() + "." + table).apply(tx));
      refused(
          table,
          engine,
          tx -> ConditionalUpdate.table(table).where("id", 1).decrease("amount", 1).apply(tx));
      assertThatThrownBy(() -> stuck(table).sweep(transactions))
          .isInstanceOf(InvalidArgumentException.class)
          .hasMessageContainingAll(table, engine);
      if (!engine.equals("MEMORY")) {
        // whose keys are hashes, which are refused for having no order
        refused(table, engine, tx -> RowLocks.lock(tx, table, List.of(1)));
        refused(
            table,
            engine,
            tx -> Rollup.parent(table).children("x", "y").count("amount").apply(tx, 1));
      }
    }
  }

  @Test
  void alsoAsChildrenOfARollup() {
    create("tasks", "InnoDB");
    schema.execute(
        "create table steps (id bigint primary key, task_id bigint, key (task_id)) engine ="
            + " MyISAM");
    for (Isolation isolation : List.of(Isolation.READ_COMMITTED, Isolation.REPEATABLE_READ)) {
      assertThatThrownBy(
              () ->
                  transactions
                      .isolation(isolation)
                      .run(
                          tx ->
                              Rollup.parent("tasks")
                                  .children("steps", "task_id")
                                  .count("amount")
                                  .apply(tx, 1)))
          .isInstanceOf(InvalidArgumentException.class)
          .hasMessageContainingAll("steps", "MyISAM");
    }
    assertThat(schema.count("select amount from tasks")).isEqualTo(5);
  }

  @Test
  void acceptsTransactionalEnginesAndViews() {
    create("tasks", "InnoDB");
    schema.execute("create view open_tasks as select * from tasks");
    transactions.run(
        tx -> {
          assertThat(creation("tasks").apply(tx).created()).isTrue();
          RowLocks.lock(tx, "tasks", List.of(1, 2)).requireAll();
          for (String table : List.of("tasks", "open_tasks")) {
            assertThat(
                    ConditionalUpdate.table(table)
                        .where("id", 1)
                        .decrease("amount", 1)
                        .apply(tx)
                        .changed())
                .isTrue();
          }
        });
    assertThat(stuck("tasks").sweep(transactions).recovered()).isEqualTo(1);
  }
}
