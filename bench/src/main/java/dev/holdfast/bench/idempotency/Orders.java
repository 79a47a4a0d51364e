package dev.holdfast.bench.idempotency;

import dev.holdfast.testing.TestSchema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;
import javax.sql.DataSource;

/** The business: an order takes an item from the stock, and is written with its line. */
final class Orders {
  private static final int ITEMS = 10_000;

  private Orders() {}

  static void create(TestSchema schema) {
    schema.execute("create table item (id int primary key, stock bigint not null)");
    schema.execute("insert into item select n, 1000000000 from generate_series(1, 10000) n");
    schema.execute(
        """
        create table orders (id bigint generated always as identity primary key,
          customer text not null, total bigint not null, placed_at timestamptz not null)""");
    schema.execute(
        """
        create table order_line (order_id bigint not null, line int not null, item int not null,
          quantity int not null, primary key (order_id, line))""");
    // not all tables: what is planned for an empty one would be kept while it grows
    schema.execute("vacuum analyze item");
  }

  /** Its statements; answers its number. */
  static long place(Connection connection) throws SQLException {
    int item = 1 + ThreadLocalRandom.current().nextInt(ITEMS);
    try (PreparedStatement take =
        connection.prepareStatement(
            "update item set stock = stock - 1 where id = ? and stock >= 1")) {
      take.setInt(1, item);
      if (take.executeUpdate() != 1) {
        throw new IllegalStateException("sold out");
      }
    }
    long order;
    try (PreparedStatement insert =
        connection.prepareStatement(
            "insert into orders (customer, total, placed_at)"
                + " values (?, ?, statement_timestamp()) returning id")) {
      insert.setString(1, "ana@example.com");
      insert.setLong(2, 4200);
      try (ResultSet made = insert.executeQuery()) {
        made.next();
        order = made.getLong(1);
      }
    }
    try (PreparedStatement line =
        connection.prepareStatement(
            "insert into order_line (order_id, line, item, quantity) values (?, 1, ?, 1)")) {
      line.setLong(1, order);
      line.setInt(2, item);
      line.executeUpdate();
    }
    return order;
  }

  /** Without any key: a transaction by hand. */
  static long placeAlone(DataSource dataSource) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      long order = place(connection);
      connection.commit();
      connection.setAutoCommit(true);
      return order;
    }
  }
}
