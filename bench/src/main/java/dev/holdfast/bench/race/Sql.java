package dev.holdfast.bench.race;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Plain JDBC in one line each. */
final class Sql {
  /** What is done in a transaction. */
  interface Work {
    void in(Connection connection) throws SQLException;
  }

  private Sql() {}

  static void transaction(DataSource dataSource, Work work) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      try {
        work.in(connection);
        connection.commit();
      } catch (SQLException | RuntimeException e) {
        connection.rollback();
        throw e;
      }
    }
  }

  /** Answers how many rows were changed. */
  static int update(Connection connection, String sql, long... values) throws SQLException {
    try (PreparedStatement statement = prepare(connection, sql, values)) {
      return statement.executeUpdate();
    }
  }

  /** The number that the first row begins with; 0 if there is no row. */
  static long number(Connection connection, String sql, long... values) throws SQLException {
    try (PreparedStatement statement = prepare(connection, sql, values);
        ResultSet rows = statement.executeQuery()) {
      return rows.next() ? rows.getLong(1) : 0;
    }
  }

  private static PreparedStatement prepare(Connection connection, String sql, long... values)
      throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    for (int i = 0; i < values.length; i++) {
      statement.setLong(i + 1, values[i]);
    }
    return statement;
  }
}
