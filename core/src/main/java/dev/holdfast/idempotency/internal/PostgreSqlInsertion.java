package dev.holdfast.idempotency.internal;

import dev.holdfast.sql.SqlError;
import dev.holdfast.sql.SqlErrors;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * On PostgreSQL: one text, which the driver sends in one round trip, with the limit of the wait set
 * before and put back after.
 */
final class PostgreSqlInsertion implements Insertion {
  private static final String LIMIT =
      "SELECT set_config('holdfast.lock_timeout', current_setting('lock_timeout'), true),"
          + " set_config('lock_timeout', ?, true); ";

  private static final String UNLIMIT =
      "; SELECT set_config('lock_timeout', current_setting('holdfast.lock_timeout'), true)";

  private static final String SAVEPOINT = "holdfast_insertion";
  private static final String SAVE = "SAVEPOINT " + SAVEPOINT + "; ";
  private static final String FORGET = "; RELEASE SAVEPOINT " + SAVEPOINT;

  private final RecordSql sql;

  PostgreSqlInsertion(RecordSql sql) {
    this.sql = sql;
  }

  @Override
  public Outcome insert(Connection connection, NewRecord record, Duration wait, boolean expendable)
      throws SQLException {
    String insert = sql.insert(record) + " ON CONFLICT (shard, id) DO NOTHING";
    return switch (change(connection, wait, expendable, insert, record.values())) {
      case NOT_FREE -> Outcome.HELD;
      case 0 -> Outcome.THERE;
      default -> Outcome.INSERTED;
    };
  }

  @Override
  public int change(
      Connection connection,
      Duration wait,
      boolean expendable,
      String sql,
      @Nullable Object... values)
      throws SQLException {
    @Nullable Object[] all = new @Nullable Object[values.length + 1];
    all[0] = Long.toString(Insertion.atLeastShortest(wait).toMillis());
    System.arraycopy(values, 0, all, 1, values.length);
    String limited = LIMIT + sql + UNLIMIT;
    try {
      return rowsOfChange(connection, expendable ? limited : SAVE + limited + FORGET, all);
    } catch (SQLException e) {
      if (SqlErrors.classify(e) != SqlError.LOCK_TIMEOUT) {
        throw e;
      }
      if (!expendable) {
        backToSavepoint(connection);
      }
      return NOT_FREE;
    }
  }

  /** The rows that the last statement which changes any has changed. */
  private int rowsOfChange(Connection connection, String text, @Nullable Object[] values)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(text)) {
      sql.table.bind(statement, values);
      int rows = 0;
      boolean isRows = statement.execute();
      boolean limited = false;
      for (; ; ) {
        if (isRows) {
          if (limited) {
            return rows;
          }
          limited = true;
        } else {
          int count = statement.getUpdateCount();
          if (count == -1) {
            return rows;
          }
          rows = count;
        }
        isRows = statement.getMoreResults();
      }
    }
  }

  private static void backToSavepoint(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("ROLLBACK TO SAVEPOINT " + SAVEPOINT + FORGET);
    }
  }
}
