package dev.holdfast.idempotency.internal;

import dev.holdfast.sql.SqlError;
import dev.holdfast.sql.SqlErrors;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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

  private final RecordSql sql;

  PostgreSqlInsertion(RecordSql sql) {
    this.sql = sql;
  }

  @Override
  public Outcome insert(
      Connection connection,
      NewRecord record,
      Duration wait,
      boolean expendable,
      boolean overExpired)
      throws SQLException {
    StringBuilder text = new StringBuilder(512);
    List<@Nullable Object> values = new ArrayList<>();
    if (!expendable) {
      text.append("SAVEPOINT ").append(SAVEPOINT).append("; ");
    }
    text.append(LIMIT);
    values.add(Long.toString(Insertion.atLeastShortest(wait).toMillis()));
    if (overExpired) {
      text.append(sql.deleteExpired).append("; ");
      values.add(record.id().shard());
      values.add(record.id().digest());
    }
    text.append(sql.insert(record)).append(" ON CONFLICT (shard, id) DO NOTHING").append(UNLIMIT);
    values.addAll(Arrays.asList(record.values()));
    if (!expendable) {
      text.append("; RELEASE SAVEPOINT ").append(SAVEPOINT);
    }
    int rows;
    try {
      rows = rowsOfInsert(connection, text.toString(), values.toArray());
    } catch (SQLException e) {
      if (SqlErrors.classify(e) != SqlError.LOCK_TIMEOUT) {
        throw e;
      }
      if (!expendable) {
        backToSavepoint(connection);
      }
      return Outcome.HELD;
    }
    return rows == 1 ? Outcome.INSERTED : Outcome.THERE;
  }

  /** The rows that the last statement which changes any has changed: that is the insertion. */
  private int rowsOfInsert(Connection connection, String text, @Nullable Object[] values)
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
      statement.execute("ROLLBACK TO SAVEPOINT " + SAVEPOINT + "; RELEASE SAVEPOINT " + SAVEPOINT);
    }
  }
}
