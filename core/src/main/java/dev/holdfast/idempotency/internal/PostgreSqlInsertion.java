package dev.holdfast.idempotency.internal;

import dev.holdfast.sql.SqlError;
import dev.holdfast.sql.SqlErrors;
import java.nio.ByteBuffer;
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
 * On PostgreSQL an insertion waits for another transaction that has inserted the same key, for as
 * long as that runs. So each takes an advisory lock of its transaction first, and inserts nothing
 * where another has it. The lock only keeps them from waiting: that there is one record for a key is
 * kept by the key of the table.
 */
final class PostgreSqlInsertion implements Insertion {
  private static final String IF_FREE = "pg_try_advisory_xact_lock(?)";

  private static final String WAIT =
      "SELECT set_config('holdfast.lock_timeout', current_setting('lock_timeout'), true),"
          + " set_config('lock_timeout', ?, true); SELECT pg_advisory_xact_lock(?);"
          + " SELECT set_config('lock_timeout', current_setting('holdfast.lock_timeout'), true)";

  private static final String SAVEPOINT = "holdfast_idempotency";

  private final RecordSql sql;
  private final String insertUnanswered;
  private final String insertClaimed;
  private final String deleteExpired;

  PostgreSqlInsertion(RecordSql sql) {
    this.sql = sql;
    this.insertUnanswered = ifFree(sql.insertUnanswered);
    this.insertClaimed = ifFree(sql.insertClaimed);
    this.deleteExpired = sql.deleteExpired + " AND " + IF_FREE;
  }

  /** {@code SELECT} does not tell its parameters which types the columns have. */
  private static String ifFree(String insert) {
    String select = insert.replace(" VALUES (", " SELECT ");
    return select.substring(0, select.length() - 1).replace("?, ?)", "?, CAST(? AS bytea))")
        + " WHERE "
        + IF_FREE
        + " ON CONFLICT (shard, id) DO NOTHING";
  }

  @Override
  public Outcome insert(
      Connection connection, NewRecord record, Duration wait, boolean overExpired)
      throws SQLException {
    long lock = lock(record.id());
    List<@Nullable Object> values = new ArrayList<>(16);
    if (overExpired) {
      values.addAll(List.of(record.id().shard(), record.id().digest(), lock));
    }
    values.addAll(Arrays.asList(record.values()));
    values.add(lock);
    String insert = record.isClaimed() ? insertClaimed : insertUnanswered;
    String text = overExpired ? deleteExpired + "; " + insert : insert;
    return rowsOfLast(connection, text, values.toArray()) == 1
        ? Outcome.INSERTED
        : Outcome.THERE;
  }

  private int rowsOfLast(Connection connection, String text, @Nullable Object[] values)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(text)) {
      sql.table.bind(statement, values);
      statement.execute();
      int last = 0;
      for (int rows = statement.getUpdateCount(); rows >= 0; rows = statement.getUpdateCount()) {
        last = rows;
        boolean unused = statement.getMoreResults();
      }
      return last;
    }
  }

  @Override
  public boolean await(Connection connection, RecordId id, Duration wait, boolean expendable)
      throws SQLException {
    long millis = wait.toMillis();
    if (millis <= 0) {
      return false;
    }
    String text =
        expendable ? WAIT : "SAVEPOINT " + SAVEPOINT + "; " + WAIT + "; RELEASE SAVEPOINT " + SAVEPOINT;
    try (PreparedStatement statement = connection.prepareStatement(text)) {
      sql.table.bind(statement, Long.toString(millis), lock(id));
      statement.execute();
      return true;
    } catch (SQLException e) {
      if (SqlErrors.classify(e) != SqlError.LOCK_TIMEOUT) {
        throw e;
      }
    }
    if (!expendable) {
      try (Statement statement = connection.createStatement()) {
        statement.execute(
            "ROLLBACK TO SAVEPOINT " + SAVEPOINT + "; RELEASE SAVEPOINT " + SAVEPOINT);
      }
    }
    return false;
  }

  private static long lock(RecordId id) {
    return ByteBuffer.wrap(id.digest()).getLong(8);
  }
}
