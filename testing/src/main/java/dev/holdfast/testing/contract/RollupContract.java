package dev.holdfast.testing.contract;

import static dev.holdfast.testing.contract.RollupStorm.ROLLUP;
import static dev.holdfast.testing.contract.RollupStorm.WITH_FOREIGN_KEY;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.guard.LockOrderException;
import dev.holdfast.guard.Rollup;
import dev.holdfast.guard.RollupResult;
import dev.holdfast.sql.Row;
import dev.holdfast.sql.SqlError;
import dev.holdfast.sql.SqlFailedException;
import dev.holdfast.sql.Transaction;
import dev.holdfast.testing.Actors;
import dev.holdfast.testing.Outcomes;
import dev.holdfast.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.Test;

/** What a roll-up guarantees. */
public abstract class RollupContract extends DatabaseContract {
  protected RollupContract(TestDatabase database) {
    super(database);
  }

  private void createOrderWithLines() {
    RollupStorm.createOrders(schema, !WITH_FOREIGN_KEY);
    schema.execute(
        "insert into order_lines values (11, 1, 2.50, 'OPEN')",
        "insert into order_lines values (12, 1, 4.00, 'DONE')",
        "insert into order_lines values (13, 1, 8.25, null)",
        "insert into order_lines values (21, 2, 100, 'OPEN')");
  }

  @Test
  void computesAllColumnsAndAnswersTheParent() {
    createOrderWithLines();

    Row order = rolledUp(ROLLUP.min("first_line", "id").max("last_line", "id"), 1);

    assertThat(order.number("line_count")).isEqualTo(3);
    assertThat(order.text("total")).isEqualTo("14.75");
    assertThat(order.number("open_lines")).isEqualTo(1);
    assertThat(order.text("open_total")).isEqualTo("2.50");
    assertThat(order.number("first_line")).isEqualTo(11);
    assertThat(order.number("last_line")).isEqualTo(13);
    assertThat(order.number("version")).isEqualTo(1);
    assertThat(schema.count("select version from orders where id = 2")).isZero();
    assertThat(schema.count("select line_count from orders where id = 1")).isEqualTo(3);
  }

  @Test
  void computesASingleColumnAndLeavesTheVersionAlone() {
    createOrderWithLines();
    Rollup undecided =
        Rollup.parent("orders")
            .children("order_lines", "order_id")
            .countWhere("open_lines", "status", null);

    Row order = rolledUp(undecided, 1L);

    assertThat(order.number("open_lines")).isEqualTo(1);
    assertThat(order.number("version")).isZero();
    // and once more, with nothing to change
    assertThat(rolledUp(undecided, 1L)).isEqualTo(order);
  }

  @Test
  void ofNoChildrenCountsAndSumsAreZero() {
    createOrderWithLines();
    schema.execute("update orders set line_count = 7, total = 7, open_total = 7 where id = 3");

    Row order = rolledUp(ROLLUP.max("last_line", "id"), 3);

    assertThat(order.number("line_count")).isZero();
    assertThat(order.text("total")).isEqualTo("0.00");
    assertThat(order.text("open_total")).isEqualTo("0.00");
    assertThat(order.get("last_line")).isNull();
  }

  @Test
  void saysThatAParentIsMissing() {
    createOrderWithLines();
    assertThat(transactions.<RollupResult, RuntimeException>call(tx -> ROLLUP.apply(tx, 99)))
        .isEqualTo(new RollupResult.Missing());
  }

  @Test
  void findsParentsByAnyKey() {
    schema.execute(
        "create table \"Baskets\" (code varchar(20) primary key, items integer)"
            .replace("\"", quote()),
        "insert into \"Baskets\" values ('b-1', 0)".replace("\"", quote()),
        "create table items (id bigint primary key, basket varchar(20))",
        "create index items_of_basket on items (basket)",
        "insert into items values (1, 'b-1'), (2, 'b-1'), (3, 'b-2')");

    Row basket =
        rolledUp(
            Rollup.parent("\"Baskets\"", "code").children("items", "basket").count("items"), "b-1");

    assertThat(basket.number("items")).isEqualTo(2);
  }

  private String quote() {
    return database().name().matches("MariaDB|MySQL") ? "`" : "\"";
  }

  @Test
  void rollsBackWithTheCallersTransaction() {
    createOrderWithLines();
    assertThatThrownBy(
            () ->
                transactions.run(
                    tx -> {
                      ROLLUP.apply(tx, 1);
                      throw new IllegalStateException("the caller changed its mind");
                    }))
        .isInstanceOf(IllegalStateException.class);
    assertThat(schema.count("select line_count from orders where id = 1")).isZero();
  }

  @Test
  void locksParentsInTheOneOrder() {
    createOrderWithLines();
    assertThatThrownBy(
            () ->
                transactions.run(
                    tx -> {
                      ROLLUP.apply(tx, 2);
                      ROLLUP.apply(tx, 1);
                    }))
        .isInstanceOf(LockOrderException.class)
        .hasMessageContaining("RollupContract");
    transactions.run(
        tx -> {
          ROLLUP.lockAll(tx, List.of(2, 1)).requireAll();
          ROLLUP.apply(tx, 2);
          ROLLUP.apply(tx, 1);
        });
    RollupStorm.assertRight(schema);
  }

  @Test
  void refusesBadInputBeforeAnythingIsSent() {
    Rollup rollup = Rollup.parent("orders").children("order_lines", "order_id");
    refused("compute something", rollup);
    refused("children", Rollup.parent("orders").count("line_count"));
    refused("version", rollup.count("VERSION").version("version"));
    refused("name", rollup.count("a; drop table orders"));
    refused("name", rollup.countWhere("line_count", "a; drop table orders", 1));
    assertThatThrownBy(() -> rollup.count("a").sum("A", "b")).hasMessageContaining("twice");
    assertThatThrownBy(() -> Rollup.parent(" ")).isInstanceOf(InvalidArgumentException.class);
    assertThatThrownBy(() -> transactions.readOnly().run(tx -> ROLLUP.apply(tx, 1)))
        .hasMessageContaining("read-only");
  }

  private void refused(String because, Rollup rollup) {
    assertThatThrownBy(() -> transactions.run(tx -> rollup.apply(tx, 1)))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining(because);
  }

  @Test
  void seesTheLatestChildrenUnderAnOlderSnapshot() throws SQLException {
    createOrderWithLines();
    try (Connection mine = schema.unpooled().getConnection()) {
      mine.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      mine.setAutoCommit(false);
      assertThat(RowLocksTwins.read(mine, "select count(*) from order_lines where order_id = 1"))
          .isEqualTo(3);
      transactions.run(
          tx -> {
            RowLocksTwins.write(
                tx.connection(), "insert into order_lines values (14, 1, 1, 'OPEN')");
            ROLLUP.apply(tx, 1);
          });
      try {
        ROLLUP.apply(Transaction.on(mine), 1);
        mine.commit();
      } catch (SqlFailedException e) {
        // where a snapshot cannot be left, the error tells to try again
        assertThat(e.error()).isEqualTo(SqlError.SERIALIZATION_FAILURE);
        mine.rollback();
      } catch (InvalidArgumentException e) {
        assertThat(database().name()).isEqualTo("H2");
        mine.rollback();
      }
    }
    assertThat(schema.count("select line_count from orders where id = 1")).isEqualTo(4);
  }

  @Test
  void isRightAfterAStormOfChanges() {
    RollupStorm.createOrders(schema, WITH_FOREIGN_KEY);
    RollupStorm.run(
        schema,
        (orders, isLast, change) ->
            transactions.run(
                tx -> {
                  ROLLUP.lockAll(tx, orders).requireAll();
                  change.make(tx.connection());
                  orders.forEach(order -> ROLLUP.apply(tx, order));
                }));
  }

  @Test
  void isRightAfterAStormThatLocksTheParentsLast() {
    assumeFalse(foreignKeysDeadlock(), "the parents must be locked first there");
    RollupStorm.createOrders(schema, WITH_FOREIGN_KEY);
    RollupStorm.run(
        schema,
        (orders, isLast, change) ->
            transactions.run(
                tx -> {
                  change.make(tx.connection());
                  ROLLUP.lockAll(tx, orders).requireAll();
                  orders.forEach(order -> ROLLUP.apply(tx, order));
                }));
  }

  @Test
  void theStormCatchesCountingBeforeLocking() {
    RollupStorm.createOrders(schema, !WITH_FOREIGN_KEY);
    CyclicBarrier allHaveCounted = new CyclicBarrier(RollupStorm.THREADS);
    assertThatThrownBy(
            () ->
                RollupStorm.run(
                    schema,
                    (orders, isLast, change) ->
                        transactions.run(
                            tx -> {
                              change.make(tx.connection());
                              List<String> updates = new ArrayList<>();
                              for (long order : new TreeSet<>(orders)) {
                                updates.add(RollupStorm.countAndWriteLater(tx, order));
                              }
                              if (isLast) {
                                allHaveCounted.await(30, SECONDS);
                              }
                              for (String update : updates) {
                                RowLocksTwins.write(tx.connection(), update);
                              }
                            })))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("orders that do not tell");
  }

  @Test
  void twoWhoInsertBeforeTheyLockDeadlockOnlyWhereForeignKeysDo() {
    RollupStorm.createOrders(schema, WITH_FOREIGN_KEY);
    CyclicBarrier bothHaveInserted = new CyclicBarrier(2);
    Outcomes<RollupResult> outcomes =
        Actors.run(
            2,
            actor ->
                transactions.call(
                    tx -> {
                      RowLocksTwins.write(
                          tx.connection(),
                          "insert into order_lines values (" + actor + ", 1, 5, 'OPEN')");
                      bothHaveInserted.await(30, SECONDS);
                      return ROLLUP.apply(tx, 1);
                    }));

    if (foreignKeysDeadlock()) {
      assertThat(outcomes.failures())
          .singleElement()
          .isInstanceOfSatisfying(
              SqlFailedException.class,
              failure -> assertThat(failure.error()).isEqualTo(SqlError.DEADLOCK));
    } else {
      assertThat(outcomes.resultsOrThrow()).hasSize(2);
      assertThat(schema.count("select line_count from orders where id = 1")).isEqualTo(2);
    }
    RollupStorm.assertRight(schema);
  }

  /** MariaDB and MySQL lock the parent of a new child against roll-ups. */
  private boolean foreignKeysDeadlock() {
    return database().name().matches("MariaDB|MySQL");
  }

  private Row rolledUp(Rollup rollup, Object id) {
    RollupResult result = transactions.call(tx -> rollup.apply(tx, id));
    assertThat(result).isInstanceOf(RollupResult.RolledUp.class);
    return ((RollupResult.RolledUp) result).row();
  }
}
