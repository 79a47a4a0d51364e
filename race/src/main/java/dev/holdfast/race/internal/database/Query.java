package dev.holdfast.race.internal.database;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Short statements, on one connection. */
final class Query {

  /** Makes something of a row. */
  interface RowReader<T> {
    T read(ResultSet row) throws SQLException;
  }

  private Query() {}

  static <T> List<T> rows(Connection connection, String sql, RowReader<T> reader)
      throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      List<T> rows = new ArrayList<>();
      while (result.next()) {
        rows.add(reader.read(result));
      }
      return rows;
    }
  }

  /** The first column of the first row; empty if there is none. */
  static String text(Connection connection, String sql) throws SQLException {
    List<String> rows = rows(connection, sql, row -> orEmpty(row.getString(1)));
    return rows.isEmpty() ? "" : rows.get(0);
  }

  static void run(Connection connection, String... statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  /** Whether it could be run; it is not always allowed. */
  static boolean allowed(Connection connection, String... statements) {
    try {
      run(connection, statements);
      return true;
    } catch (SQLException e) {
      return false;
    }
  }

  /** What a driver answers with may be null, whatever its type says. */
  static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }
}
