package dev.holdfast.bench.idempotency;

import dev.holdfast.testing.TestSchema;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * What somebody who knows how writes by hand: a row for the key in the transaction of the order,
 * with what tells one payload from another, and the answer in the end. It has no limit for those
 * who wait, and nobody cleans up.
 */
final class ByHand {
  private final DataSource dataSource;

  ByHand(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  static void create(TestSchema schema) {
    schema.execute(
        """
        create table request_key (customer text not null, operation text not null, key text not null,
          fingerprint bytea not null, created_at timestamptz not null, reply bytea,
          primary key (customer, operation, key))""");
    schema.execute("create index on request_key (created_at)");
  }

  /** Answers the number of the order, new or not. */
  long place(String key, byte[] fingerprint) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      long order;
      if (begun(connection, key, fingerprint)) {
        order = Orders.place(connection);
        end(connection, key, order);
        connection.commit();
      } else {
        order = replay(connection, key);
        connection.rollback();
      }
      connection.setAutoCommit(true);
      return order;
    }
  }

  private static boolean begun(Connection connection, String key, byte[] fingerprint)
      throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            """
            insert into request_key (customer, operation, key, fingerprint, created_at)
            values (?, ?, ?, ?, statement_timestamp()) on conflict do nothing""")) {
      insert.setString(1, "ana@example.com");
      insert.setString(2, "POST /orders");
      insert.setString(3, key);
      insert.setBytes(4, fingerprint);
      return insert.executeUpdate() == 1;
    }
  }

  private static void end(Connection connection, String key, long order) throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement(
            "update request_key set reply = ? where customer = ? and operation = ? and key = ?")) {
      update.setBytes(1, Long.toString(order).getBytes(StandardCharsets.US_ASCII));
      update.setString(2, "ana@example.com");
      update.setString(3, "POST /orders");
      update.setString(4, key);
      update.executeUpdate();
    }
  }

  private static long replay(Connection connection, String key) throws SQLException {
    try (PreparedStatement select =
        connection.prepareStatement(
            """
            select reply, fingerprint from request_key
            where customer = ? and operation = ? and key = ?""")) {
      select.setString(1, "ana@example.com");
      select.setString(2, "POST /orders");
      select.setString(3, key);
      try (ResultSet row = select.executeQuery()) {
        row.next();
        return Long.parseLong(new String(row.getBytes(1), StandardCharsets.US_ASCII));
      }
    }
  }
}
