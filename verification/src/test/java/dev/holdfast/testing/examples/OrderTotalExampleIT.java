package dev.holdfast.testing.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.guard.Rollup;
import dev.holdfast.testing.ConcurrentActors;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An order carries totals of its lines, which many change at once. */
class OrderTotalExampleIT extends Shop {
  private static final Rollup TOTALS =
      Rollup.parent("orders")
          .children("order_lines", "order_id")
          .count("line_count")
          .sum("total", "amount")
          .countWhere("open_lines", "status", "OPEN");

  @BeforeEach
  void placeAnOrder() {
    schema.execute(
        "create table orders (id bigint primary key, line_count bigint, total bigint, open_lines"
            + " bigint)",
        "create table order_lines (id bigserial primary key, order_id bigint references orders,"
            + " amount bigint, status varchar(10))",
        "insert into orders values (7, 0, 0, 0)");
  }

  private void addLine(long order, long amount) throws SQLException {
    transactions.run(
        tx -> {
          TOTALS.lock(tx, order);
          insertLine(tx.connection().prepareStatement(INSERT), order, amount);
          TOTALS.apply(tx, order);
        });
  }

  private static final String INSERT =
      "insert into order_lines (order_id, amount, status) values (?, ?, 'OPEN')";

  private static void insertLine(PreparedStatement insert, long order, long amount)
      throws SQLException {
    try (insert) {
      insert.setLong(1, order);
      insert.setLong(2, amount);
      insert.executeUpdate();
    }
  }

  @Test
  void totalsAreRightAfterAStorm() {
    ConcurrentActors.run(
            8,
            actor -> {
              addLine(7, 10);
              return actor;
            })
        .resultsOrThrow();

    assertThat(schema.query("select line_count, total, open_lines from orders").get(0).values())
        .containsExactly(8L, 80L, 8L);
  }
}
