package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.guard.Rollup;
import dev.holdfast.testing.ConcurrentActors;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.transaction.Transaction;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Random;

/**
 * Lines of a few orders that many threads insert, change, move and delete at once. However it is
 * done, no change fails, and afterwards each order tells what its lines are.
 */
final class RollupStorm {
  static final int ORDERS = 4;
  static final int THREADS = 16;
  static final int ROUNDS = 30;

  static final Rollup TOTALS =
      Rollup.parent("orders")
          .children("order_lines", "order_id")
          .count("line_count")
          .sum("total", "amount")
          .countWhere("open_lines", "status", "OPEN")
          .sumWhere("open_total", "amount", "status", "OPEN")
          .version("version");

  private RollupStorm() {}

  /** Does a change of lines in a transaction of its own, and updates the orders. */
  @FunctionalInterface
  interface Changer {
    /** Changes lines of these orders; {@code isLast} where this thread does nothing after it. */
    void change(List<Long> orders, boolean isLast, LineChange change) throws Exception;
  }

  /** A change of lines. */
  @FunctionalInterface
  interface LineChange {
    void make(Connection connection) throws SQLException;
  }

  static final boolean WITH_FOREIGN_KEY = true;

  static void createOrders(TestSchema schema, boolean withForeignKey) {
    schema.execute(
        """
        create table orders (
          id bigint primary key,
          line_count integer not null,
          total decimal(12, 2) not null,
          open_lines bigint not null,
          open_total decimal(12, 2) not null,
          version bigint not null)
        """,
        "create table order_lines (id bigint primary key, order_id bigint not null,"
            + " amount decimal(10, 2), status varchar(10)"
            + (withForeignKey ? ", foreign key (order_id) references orders (id))" : ")"),
        "create index lines_of_order on order_lines (order_id)");
    for (int id = 1; id <= ORDERS; id++) {
      schema.execute("insert into orders values (" + id + ", 0, 0, 0, 0, 0)");
    }
  }

  static void run(TestSchema schema, Changer changer) {
    ConcurrentActors.run(
            THREADS,
            thread -> {
              Random random = new Random(thread);
              for (int round = 1; round <= ROUNDS; round++) {
                long line = thread * 1000L + round;
                long order = 1L + thread % ORDERS;
                changer.change(List.of(order), round == ROUNDS, insert(line, order, random));
                if (round < ROUNDS) {
                  long other = 1L + random.nextInt(ORDERS);
                  // the other first, as often as not in the wrong order
                  changer.change(List.of(other, order), false, later(line, other, random));
                }
              }
              return thread;
            })
        .resultsOrThrow();
    assertRight(schema);
  }

  static void assertRight(TestSchema schema) {
    var wrong =
        schema.query(
            """
            select * from orders
             where line_count <> (select count(*) from order_lines l where l.order_id = orders.id)
                or total <> (select coalesce(sum(amount), 0) from order_lines l
                              where l.order_id = orders.id)
                or open_lines <> (select count(*) from order_lines l
                                   where l.order_id = orders.id and status = 'OPEN')
                or open_total <> (select coalesce(sum(amount), 0) from order_lines l
                                   where l.order_id = orders.id and status = 'OPEN')
            """);
    assertThat(wrong).as("orders that do not tell what their lines are").isEmpty();
  }

  /** Counts the lines of an order, and answers the statement that writes what was counted. */
  static String countAndWriteLater(Transaction tx, long order) throws SQLException {
    String count =
        """
        select count(*), coalesce(sum(amount), 0), count(case when status = 'OPEN' then 1 end),
               coalesce(sum(case when status = 'OPEN' then amount end), 0)
          from order_lines where order_id =\
        """;
    try (Statement statement = tx.connection().createStatement();
        ResultSet counted = statement.executeQuery(count + " " + order)) {
      counted.next();
      return "update orders set line_count = %s, total = %s, open_lines = %s, open_total = %s where id = %d"
          .formatted(
              counted.getString(1),
              counted.getString(2),
              counted.getString(3),
              counted.getString(4),
              order);
    }
  }

  private static LineChange insert(long line, long order, Random random) {
    String values =
        "%d, %d, %d.50, '%s'"
            .formatted(line, order, random.nextInt(100), random.nextBoolean() ? "OPEN" : "DONE");
    return sql("insert into order_lines values (" + values + ")");
  }

  /** Changes, moves or deletes a line. */
  private static LineChange later(long line, long other, Random random) {
    return sql(
        switch (random.nextInt(4)) {
          case 0 -> "delete from order_lines where id = " + line;
          case 1 -> "update order_lines set order_id = " + other + " where id = " + line;
          case 2 -> "update order_lines set amount = amount + 1 where id = " + line;
          default -> "update order_lines set status = 'DONE' where id = " + line;
        });
  }

  private static LineChange sql(String change) {
    return connection -> assertThat(RowLocksTwins.write(connection, change)).isEqualTo(1);
  }
}
