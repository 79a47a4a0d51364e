package dev.holdfast.internal.sql;

import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.TransactionSettings;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/**
 * How a database is told the isolation and the time limits of a transaction and to commit it, and
 * how it is put back as it was. Chosen by the {@link Dialect}.
 */
public sealed interface SessionSettings
    permits PostgreSqlSessionSettings, MySqlSessionSettings, H2SessionSettings {
  /** What puts back the settings of the session that were changed. */
  @FunctionalInterface
  interface Restore {
    Restore NOTHING = () -> {};

    void run() throws SQLException;
  }

  /**
   * Sets up a transaction that is Holdfast's own and has not begun; autocommit may still be on.
   * Isolation is set for the session, as JDBC does it, so that whoever joins the transaction by its
   * connection finds out the level; it is put back after.
   */
  default Restore beforeOwn(Connection connection, TransactionSettings settings)
      throws SQLException {
    return withIsolation(connection, settings, joined(connection, settings));
  }

  /** Sets the isolation for the session, after its time limits. */
  default Restore withIsolation(
      Connection connection, TransactionSettings settings, Restore timeouts) throws SQLException {
    Isolation isolation = settings.isolation();
    if (isolation == null) {
      return timeouts;
    }
    int before = connection.getTransactionIsolation();
    connection.setTransactionIsolation(isolation.jdbcLevel());
    return () -> {
      timeouts.run();
      connection.setTransactionIsolation(before);
    };
  }

  /** Sets up an own transaction that has begun: autocommit is off, no statement has run. */
  default void insideOwn(Connection connection, TransactionSettings settings) throws SQLException {}

  /** Commits an own transaction, or fails. */
  default void commit(Connection connection) throws SQLException {
    connection.commit();
  }

  /** Runs the last statement of an own transaction, and commits it; or fails. */
  default void commit(Connection connection, CommitStatement last) throws SQLException {
    try {
      last.run(connection);
    } catch (SQLException e) {
      // not while committing: it has come to nothing
      throw new DatabaseException(last.doing(), e);
    }
    connection.commit();
  }

  /** Sets the time limits for a part of the caller's transaction. */
  Restore joined(Connection connection, TransactionSettings settings) throws SQLException;

  static void execute(Connection connection, List<String> statements) throws SQLException {
    if (!statements.isEmpty()) {
      try (Statement statement = connection.createStatement()) {
        for (String sql : statements) {
          statement.execute(sql);
        }
      }
    }
  }

  static String ask(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet answer = statement.executeQuery(query)) {
      answer.next();
      return answer.getString(1);
    }
  }
}
