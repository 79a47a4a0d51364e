package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.guard.Rollup;
import dev.holdfast.guard.RollupResult;
import dev.holdfast.testing.ConcurrentActors;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.SqlError;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the roll-up guarantees. */
public abstract class RollupContract extends DatabaseContract {
  private static final int THREADS = 16;
  private static final int CHANGES = 15;
  private static final int ORDERS = 2;

  private static final Rollup TOTALS =
      Rollup.parent("orders")
          .children("order_lines", "order_id")
          .count("line_count")
          .sum("total", "amount")
          .countWhere("open_lines", "status", "OPEN")
          .sumWhere("open_total", "amount", "status", "OPEN")
          .version("version");

  protected RollupContract(TestDatabase database) {
    super(database);
  }

  @BeforeEach
  void createOrders() {
    schema.execute(
        """
        create table orders (
          id bigint primary key,
          line_count bigint not null,
          total decimal(20, 2) not null,
          open_lines bigint not null,
          open_total decimal(20, 2) not null,
          version bigint not null)
        """,
        """
        create table order_lines (
          id varchar(40) primary key,
          order_id bigint not null,
          amount decimal(20, 2) not null,
          status varchar(10) not null,
          foreign key (order_id) references orders (id))
        """,
        "create index order_lines_of on order_lines (order_id)");
    for (int order = 1; order <= ORDERS; order++) {
      schema.execute("insert into orders values (" + order + ", 0, 0, 0, 0, 0)");
    }
  }

  private static void addLine(Connection connection, String line, long order, String status)
      throws SQLException {
    Sql.execute(
        connection,
        "insert into order_lines values ('%s', %d, 2.50, '%s')".formatted(line, order, status));
  }

  @Test
  void computesAllNumbersInOnePass() throws SQLException {
    RollupResult result =
        transactions.call(
            tx -> {
              addLine(tx.connection(), "a", 1, "OPEN");
              addLine(tx.connection(), "b", 1, "OPEN");
              addLine(tx.connection(), "c", 1, "DONE");
              addLine(tx.connection(), "d", 2, "OPEN");
              return TOTALS.apply(tx, 1);
            });

    assertThat(result)
        .isInstanceOfSatisfying(
            RollupResult.Applied.class,
            rolledUp -> {
              assertThat(rolledUp.parent().number("line_count")).isEqualTo(3);
              assertThat(rolledUp.parent().text("total")).isEqualTo("7.50");
              assertThat(rolledUp.parent().number("open_lines")).isEqualTo(2);
              assertThat(rolledUp.parent().text("open_total")).isEqualTo("5.00");
              assertThat(rolledUp.parent().number("version")).isEqualTo(1);
            });
    assertThat(schema.count("select version from orders where id = 2")).isZero();
  }

  @Test
  void aParentWithoutChildrenHasZeros() {
    schema.execute("update orders set line_count = 7, total = 7, open_total = 7");

    transactions.run(tx -> TOTALS.apply(tx, 1));

    assertThat(
            schema.count(
                "select count(*) from orders where id = 1 and line_count = 0 and total = 0 and"
                    + " open_total = 0"))
        .isEqualTo(1);
  }

  @Test
  void saysThatAParentIsMissing() {
    assertThat(transactions.<RollupResult, RuntimeException>call(tx -> TOTALS.apply(tx, 99)))
        .isEqualTo(new RollupResult.NotFound());
    assertThat(transactions.<Boolean, RuntimeException>call(tx -> TOTALS.lock(tx, 99))).isFalse();
  }

  @Test
  void aSingleNumberIsEnough() throws SQLException {
    transactions.run(
        tx -> {
          addLine(tx.connection(), "a", 1, "OPEN");
          Rollup.parent("orders", "id")
              .children("order_lines", "order_id")
              .count("line_count")
              .apply(tx, 1);
        });

    assertThat(schema.count("select line_count from orders where id = 1")).isEqualTo(1);
  }

  @Test
  void countsCommittedRowsUnderOldSnapshot() throws SQLException {
    Transactions snapshots = transactions.isolation(Isolation.REPEATABLE_READ);
    try {
      snapshots.run(
          tx -> {
            Sql.ask(tx.connection(), "select count(*) from order_lines");
            transactions.run(
                other -> {
                  addLine(other.connection(), "theirs", 1, "OPEN");
                  TOTALS.apply(other, 1);
                });
            addLine(tx.connection(), "mine", 1, "OPEN");
            TOTALS.apply(tx, 1);
          });
    } catch (DatabaseException e) {
      assertThat(e.isRetryable()).as("an error that a retry cures: %s", e.error()).isTrue();
      snapshots.run(tx -> TOTALS.apply(tx, 1));
    } catch (InvalidArgumentException e) {
      // H2 would neither fail nor see it
      assertThat(e).hasMessageContainingAll("READ COMMITTED", database().name());
    }
    assertTotalsAreRight();
  }

  @Test
  void refusesToCountWhatOthersMayRollBack() throws SQLException {
    try (Connection connection = schema.unpooled().getConnection()) {
      connection.setTransactionIsolation(Connection.TRANSACTION_READ_UNCOMMITTED);
      connection.setAutoCommit(false);
      Transaction tx = Transaction.of(connection);
      if (database().name().equals("PostgreSQL")) {
        assertThat(TOTALS.apply(tx, 1)).isInstanceOf(RollupResult.Applied.class);
      } else {
        assertThatThrownBy(() -> TOTALS.apply(tx, 1))
            .isInstanceOf(InvalidArgumentException.class)
            .hasMessageContainingAll(database().name(), "READ UNCOMMITTED");
      }
      connection.rollback();
    }
  }

  @Test
  void isRightAfterAStormOfChanges() {
    Transactions stormy = transactions.isolation(Isolation.READ_COMMITTED);
    storm(
        (thread, change, order) ->
            stormy.run(
                tx -> {
                  TOTALS.lock(tx, order);
                  changeLines(tx, thread, change, order);
                  TOTALS.apply(tx, order);
                }));
  }

  @Test
  void retryReplacesEarlyLock() {
    storm(
        (thread, change, order) ->
            transactions
                .isolation(Isolation.READ_COMMITTED)
                .retrying(1000)
                .backoff(Duration.ofMillis(1), Duration.ofMillis(20))
                .run(
                    tx -> {
                      changeLines(tx, thread, change, order);
                      TOTALS.apply(tx, order);
                    }));
  }

  @FunctionalInterface
  private interface Change {
    void make(int thread, int change, long order) throws Exception;
  }

  private void storm(Change change) {
    ConcurrentActors.run(
            Duration.ofMinutes(3),
            THREADS,
            thread -> {
              Random random = new Random(thread);
              for (int i = 0; i < CHANGES; i++) {
                change.make(thread, i, 1 + random.nextInt(ORDERS));
              }
              return thread;
            })
        .resultsOrThrow();
    assertTotalsAreRight();
  }

  private static void changeLines(Transaction tx, int thread, int change, long order)
      throws SQLException {
    String line = thread + "-" + order + "-" + change;
    switch (change % 3) {
      case 1 ->
          Sql.execute(
              tx.connection(),
              "update order_lines set status = 'DONE', amount = 1 where id like '%d-%d-%%'"
                  .formatted(thread, order));
      case 2 ->
          Sql.execute(
              tx.connection(),
              "delete from order_lines where id = '%d-%d-%d'".formatted(thread, order, change - 2));
      default -> addLine(tx.connection(), line, order, "OPEN");
    }
  }

  private void assertTotalsAreRight() {
    assertThat(
            schema.query(
                """
                select o.id, o.line_count, count(l.id) as actual from orders o
                  left join order_lines l on l.order_id = o.id
                 group by o.id, o.line_count, o.total, o.open_lines, o.open_total
                having o.line_count <> count(l.id)
                    or o.total <> coalesce(sum(l.amount), 0)
                    or o.open_lines <> count(case when l.status = 'OPEN' then 1 end)
                    or o.open_total <> coalesce(sum(case when l.status = 'OPEN' then l.amount end), 0)
                """))
        .as("orders whose numbers are not those of their lines")
        .isEmpty();
  }

  @Test
  void refusesBadInputBeforeAnythingIsChanged() {
    Rollup lines = Rollup.parent("orders").children("order_lines", "order_id");
    refused("children", Rollup.parent("orders").count("line_count"));
    refused("count or sum", lines);
    refused("name", lines.count("line_count; drop table orders"));
    refused("name", lines.sum("total", "\"; drop table"));
    assertThatThrownBy(() -> lines.count("total").sum("TOTAL", "amount"))
        .hasMessageContaining("twice");
    assertTwice(() -> lines.count("id"));
    assertTwice(() -> lines.count("\"ID\""));
    assertTwice(() -> lines.version("Id"));
    assertTwice(() -> lines.count("line_count").version("LINE_COUNT"));
    assertTwice(() -> lines.version("version").count("`version`"));
    assertTwice(() -> lines.count("line_count").sum("`line_count`", "amount"));
    assertThatThrownBy(() -> lines.count("orders.id")).hasMessageContaining("dot");
    assertThatThrownBy(() -> lines.version("orders.version")).hasMessageContaining("dot");
    assertThatThrownBy(() -> Rollup.parent(" ")).isInstanceOf(InvalidArgumentException.class);
    assertThatThrownBy(() -> transactions.readOnly().run(tx -> TOTALS.apply(tx, 1)))
        .hasMessageContaining("read-only");
    missing(lines.sum("total", "no_such_column"));
    // a column of the parent is not taken for one of the children
    missing(lines.sum("total", "line_count"));
    missing(lines.count("no_such_column"));
    missing(Rollup.parent("orders").children("no_such_table", "order_id").count("line_count"));
    assertThat(schema.count("select count(*) from orders where version = 0")).isEqualTo(ORDERS);
  }

  private static void assertTwice(ThrowingCallable building) {
    assertThatThrownBy(building)
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("twice");
  }

  @Test
  void failsIfDatabaseRejectsNumbers() {
    Assumptions.assumeTrue(
        database().name().equals("PostgreSQL"), "only there can a change be refused silently");
    schema.execute(
        "create function refuse() returns trigger language plpgsql as 'begin return null; end'",
        "create trigger refuse before update on orders for each row execute function refuse()");

    assertThatThrownBy(() -> transactions.run(tx -> TOTALS.apply(tx, 1)))
        .isInstanceOf(DatabaseException.class)
        .hasMessageContaining("rolling up 'orders' {id=1}");
  }

  private void refused(String because, Rollup rollup) {
    assertThatThrownBy(() -> transactions.run(tx -> rollup.apply(tx, 1)))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining(because);
  }

  private void missing(Rollup rollup) {
    assertThatThrownBy(() -> transactions.run(tx -> rollup.apply(tx, 1)))
        .isInstanceOfSatisfying(
            DatabaseException.class,
            failure -> assertThat(failure.error()).isEqualTo(SqlError.OBJECT_NOT_FOUND));
  }
}
