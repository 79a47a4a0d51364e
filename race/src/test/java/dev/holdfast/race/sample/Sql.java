package dev.holdfast.race.sample;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/** Plain JDBC in one line each, as many an application writes it for itself. */
final class Sql {

  /** What is done in a transaction. */
  interface Work {
    void in(Connection connection) throws SQLException;
  }

  /** What is done in a transaction and has an answer. */
  interface Answer<T> {
    T from(Connection connection) throws SQLException;
  }

  private Sql() {}

  static void transaction(DataSource ds, Work work) throws SQLException {
    answer(
        ds,
        connection -> {
          work.in(connection);
          return true;
        });
  }

  static <T> T answer(DataSource ds, Answer<T> work) throws SQLException {
    try (Connection connection = ds.getConnection()) {
      connection.setAutoCommit(false);
      try {
        T answer = work.from(connection);
        connection.commit();
        return answer;
      } catch (SQLException | RuntimeException e) {
        connection.rollback();
        throw e;
      }
    }
  }

  /** Returns how many rows were changed. */
  static int update(Connection connection, String sql, Object... values) throws SQLException {
    try (PreparedStatement statement = prepare(connection, sql, values)) {
      return statement.executeUpdate();
    }
  }

  /** The same in autocommit mode, on a connection of its own. */
  static int update(DataSource ds, String sql, Object... values) throws SQLException {
    try (Connection connection = ds.getConnection()) {
      return update(connection, sql, values);
    }
  }

  /** The first column of all rows. */
  static List<Long> numbers(Connection connection, String sql, Object... values)
      throws SQLException {
    try (PreparedStatement statement = prepare(connection, sql, values);
        ResultSet rows = statement.executeQuery()) {
      List<Long> numbers = new ArrayList<>();
      while (rows.next()) {
        numbers.add(rows.getLong(1));
      }
      return numbers;
    }
  }

  /** The number that the first row begins with, if there is a row. */
  static Optional<Long> maybeNumber(Connection connection, String sql, Object... values)
      throws SQLException {
    return numbers(connection, sql, values).stream().findFirst();
  }

  static long number(Connection connection, String sql, Object... values) throws SQLException {
    return maybeNumber(connection, sql, values)
        .orElseThrow(() -> new IllegalStateException("there is no such row"));
  }

  /** The text that the first row begins with. */
  static Optional<String> text(Connection connection, String sql, Object... values)
      throws SQLException {
    try (PreparedStatement statement = prepare(connection, sql, values);
        ResultSet rows = statement.executeQuery()) {
      return rows.next() ? Optional.ofNullable(rows.getString(1)) : Optional.empty();
    }
  }

  /** The same in autocommit mode, on a connection of its own. */
  static long number(DataSource ds, String sql, Object... values) throws SQLException {
    try (Connection connection = ds.getConnection()) {
      return number(connection, sql, values);
    }
  }

  /** Runs a query of which only the locks are wanted. */
  static void lock(Connection connection, String sql, Object... values) throws SQLException {
    try (PreparedStatement statement = prepare(connection, sql, values)) {
      statement.execute();
    }
  }

  private static PreparedStatement prepare(Connection connection, String sql, Object... values)
      throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    for (int i = 0; i < values.length; i++) {
      statement.setObject(i + 1, values[i]);
    }
    return statement;
  }
}
