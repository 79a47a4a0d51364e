package dev.holdfast.race;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

/** JDBC in few words, for code that is raced. */
final class Jdbc {
  private Jdbc() {}

  /** What is done in a transaction. */
  interface Work {
    void on(Connection connection) throws Exception;
  }

  static void transaction(DataSource ds, Work work) throws Exception {
    try (Connection connection = ds.getConnection()) {
      connection.setAutoCommit(false);
      try {
        work.on(connection);
        connection.commit();
      } catch (SQLException | RuntimeException e) {
        connection.rollback();
        throw e;
      }
    }
  }

  static PreparedStatement prepare(Connection connection, String sql, Object... values)
      throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    for (int i = 0; i < values.length; i++) {
      statement.setObject(i + 1, values[i]);
    }
    return statement;
  }

  static int update(Connection connection, String sql, Object... values) throws SQLException {
    try (PreparedStatement statement = prepare(connection, sql, values)) {
      return statement.executeUpdate();
    }
  }

  static String text(Connection connection, String sql, Object... values) throws SQLException {
    try (PreparedStatement statement = prepare(connection, sql, values);
        ResultSet row = statement.executeQuery()) {
      return row.next() ? row.getString(1) : "";
    }
  }

  static int number(Connection connection, String sql, Object... values) throws SQLException {
    return Integer.parseInt(text(connection, sql, values));
  }
}
