package dev.holdfast.testing.contract;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Plain statements on a connection, as a user writes them. */
final class Sql {
  private Sql() {}

  static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** The first column of the first row, as text. */
  static String ask(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet answer = statement.executeQuery(query)) {
      if (!answer.next()) {
        throw new AssertionError("no row for " + query);
      }
      return String.valueOf(answer.getString(1));
    }
  }

  static long number(Connection connection, String query) throws SQLException {
    return Long.parseLong(ask(connection, query));
  }

  /** The rows of a query with two columns. */
  static Map<String, @Nullable String> pairs(Connection connection, String query)
      throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet answer = statement.executeQuery(query)) {
      Map<String, @Nullable String> pairs = new TreeMap<>();
      while (answer.next()) {
        pairs.put(answer.getString(1), answer.getString(2));
      }
      return pairs;
    }
  }
}
