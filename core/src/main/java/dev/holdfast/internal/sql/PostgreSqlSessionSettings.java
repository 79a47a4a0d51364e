package dev.holdfast.internal.sql;

import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.SqlError;
import dev.holdfast.transaction.TransactionSettings;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything is {@code SET LOCAL} or {@code SET TRANSACTION}: it ends with the transaction, and so
 * it cannot leak to another client behind a pooler.
 */
final class PostgreSqlSessionSettings implements SessionSettings {
  private static final String DIVISION_BY_ZERO = "22012";

  @Override
  public Restore beforeOwn(Connection connection, TransactionSettings settings)
      throws SQLException {
    if ((settings.isolation() != null || settings.readOnly()) && !connection.getAutoCommit()) {
      // finding out the dialect was a query, after which the isolation cannot be set any more;
      // where
      // none has run, the driver knows that there is nothing to send
      connection.rollback();
    }
    return Restore.NOTHING;
  }

  @Override
  public void insideOwn(Connection connection, TransactionSettings settings) throws SQLException {
    List<String> statements = new ArrayList<>();
    if (settings.isolation() != null || settings.readOnly()) {
      statements.add(
          "SET TRANSACTION"
              + (settings.isolation() == null
                  ? ""
                  : " ISOLATION LEVEL " + settings.isolation().sql())
              + (settings.readOnly() ? " READ ONLY" : ""));
    }
    addTimeout(statements, "statement_timeout", settings.statementTimeout());
    addTimeout(statements, "lock_timeout", settings.lockTimeout());
    addTimeout(statements, "idle_in_transaction_session_timeout", settings.idleTimeout());
    if (!statements.isEmpty()) {
      // one text: pgjdbc sends it, with the BEGIN, in one round trip
      SessionSettings.execute(connection, List.of(String.join("; ", statements)));
    }
  }

  /**
   * The server answers the COMMIT of a transaction in which a statement has failed with ROLLBACK,
   * and the driver takes that for a success. The statement before the COMMIT is refused in such a
   * transaction; it costs no round trip, because the driver sends both at once.
   */
  @Override
  public void commit(Connection connection) throws SQLException {
    try (PreparedStatement commit = connection.prepareStatement("SELECT 1; COMMIT")) {
      commit.execute();
    }
    // for pools and proxies, that count commits; the driver knows that there is nothing to send
    connection.commit();
  }

  /**
   * In one round trip with the COMMIT, which must not be run where another number of rows than one
   * was changed: then the division fails.
   */
  @Override
  public void commit(Connection connection, CommitStatement last) throws SQLException {
    try (PreparedStatement commit =
        connection.prepareStatement(
            "WITH changed AS ("
                + last.sql()
                + " RETURNING 1) SELECT 1 / (count(*) = 1)::integer FROM changed; COMMIT")) {
      last.binding().to(commit);
      commit.execute();
    } catch (SQLException e) {
      if (!isFailed(connection)) {
        throw e;
      }
      // it has not come to the COMMIT
      throw DIVISION_BY_ZERO.equals(e.getSQLState())
          ? last.missed().get()
          : new DatabaseException(last.doing(), e);
    }
    connection.commit();
  }

  /** Whether a statement of the transaction has failed, and it can only be rolled back. */
  private static boolean isFailed(Connection connection) {
    try (PreparedStatement any = connection.prepareStatement("SELECT 1")) {
      any.execute();
      return false;
    } catch (SQLException e) {
      return SqlError.of(e) == SqlError.TRANSACTION_ABORTED;
    }
  }

  @Override
  public Restore joined(Connection connection, TransactionSettings settings) throws SQLException {
    List<String> before = new ArrayList<>();
    List<String> now = new ArrayList<>();
    addTimeout(now, "statement_timeout", settings.statementTimeout());
    addTimeout(now, "lock_timeout", settings.lockTimeout());
    if (settings.statementTimeout() != null) {
      before.add(restoring(connection, "statement_timeout"));
    }
    if (settings.lockTimeout() != null) {
      before.add(restoring(connection, "lock_timeout"));
    }
    SessionSettings.execute(connection, now);
    return () -> SessionSettings.execute(connection, before);
  }

  private static String restoring(Connection connection, String setting) throws SQLException {
    // the value comes from the server, such as '0' or '250ms'
    return "SET LOCAL "
        + setting
        + " = '"
        + SessionSettings.ask(connection, "SHOW " + setting)
        + "'";
  }

  private static void addTimeout(List<String> statements, String name, @Nullable Duration timeout) {
    if (timeout != null) {
      statements.add("SET LOCAL " + name + " = " + timeout.toMillis());
    }
  }
}
