package dev.holdfast.idempotency.internal;

import dev.holdfast.sql.Isolation;
import dev.holdfast.sql.Transaction;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * On PostgreSQL an insertion waits for another transaction that has inserted the same key, for as
 * long as that runs. So each takes an advisory lock of its transaction first, and inserts nothing
 * where another has it. The lock only keeps them from waiting: that there is one record for a key
 * is kept by the key of the table. Whether a record was inserted is decided by the row that the
 * insert returns, never by its count of rows: an engine that distributes tables may answer 1 for an
 * insert that inserted nothing, as Citus does.
 *
 * <p>What does wait is one text, which the driver sends in one round trip, with the limit of the
 * wait set before and put back after.
 */
final class PostgreSqlInsertion implements Insertion {
  /** Each table has its own locks. */
  private static final String LOCK = "(? # 'TABLE'::regclass::oid::bigint)";

  private static final String LIMIT =
      "SELECT set_config('holdfast.lock_timeout', current_setting('lock_timeout'), true),"
          + " set_config('lock_timeout', ?, true); ";

  private static final String UNLIMIT =
      "; SELECT set_config('lock_timeout', current_setting('holdfast.lock_timeout'), true)";

  private static final String SAVEPOINT = "holdfast_idempotency";
  private static final String SAVE = "SAVEPOINT " + SAVEPOINT + "; ";
  private static final String FORGET = "; RELEASE SAVEPOINT " + SAVEPOINT;

  private final RecordSql sql;
  private final String lock;
  private final String insertUnanswered;
  private final String insertClaimed;

  PostgreSqlInsertion(RecordSql sql) {
    this.sql = sql;
    this.lock = LOCK.replace("TABLE", sql.table.text("{idempotency}").replace("'", "''"));
    this.insertUnanswered = ifFree(sql.insertUnanswered);
    this.insertClaimed = ifFree(sql.insertClaimed);
  }

  /** {@code SELECT} does not tell its parameters which types the columns have. */
  private String ifFree(String insert) {
    String select = insert.replace(" VALUES (", " SELECT ");
    return select.substring(0, select.length() - 1).replace("?, ?)", "?, CAST(? AS bytea))")
        + " WHERE pg_try_advisory_xact_lock"
        + lock
        + " ON CONFLICT (shard, id) DO NOTHING RETURNING shard";
  }

  @Override
  public Tried insert(
      Connection connection,
      NewRecord record,
      Duration wait,
      boolean expendable,
      Supplier<String> read)
      throws SQLException {
    RecordId id = record.id();
    @Nullable Object[] values = with(record.values(), lock(id));
    // a claim also meets transactions that record a step of it, which do not take the lock
    int rows =
        record.isClaimed()
            ? change(connection, wait, expendable, insertClaimed, values)
            : sql.table.query(connection, insertUnanswered, row -> true, values).size();
    return switch (rows) {
      case NOT_FREE -> new Tried.Held();
      case 0 -> look(connection, id, read.get());
      default -> new Tried.Inserted();
    };
  }

  private Tried look(Connection connection, RecordId id, String read) throws SQLException {
    return Tried.of(
        read.equals(ENDING)
            ? sql.answered(connection, id, ENDING)
            : sql.look(connection, id, read));
  }

  private static @Nullable Object[] with(@Nullable Object[] values, Object... more) {
    @Nullable Object[] all = Arrays.copyOf(values, values.length + more.length);
    System.arraycopy(more, 0, all, values.length, more.length);
    return all;
  }

  private static long lock(RecordId id) {
    return ByteBuffer.wrap(id.digest()).getLong(8);
  }

  @Override
  public boolean alone(Connection connection, RecordId id, Duration wait, boolean expendable)
      throws SQLException {
    return wait.toMillis() > 0
        ? await(connection, id, wait, expendable)
        : sql.table
            .first(
                connection,
                "SELECT pg_try_advisory_xact_lock" + lock,
                row -> row.getBoolean(1),
                lock(id))
            .orElse(false);
  }

  @Override
  public boolean await(Connection connection, RecordId id, Duration wait, boolean expendable)
      throws SQLException {
    if (wait.toMillis() <= 0) {
      return false;
    }
    return change(connection, wait, expendable, "SELECT pg_advisory_xact_lock" + lock, lock(id))
        != NOT_FREE;
  }

  @Override
  public boolean refusesWhatHasChanged(Transaction tx) {
    return tx.isolation().compareTo(Isolation.REPEATABLE_READ) >= 0;
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
      return limitedRows(connection, expendable ? limited : SAVE + limited + FORGET, all);
    } catch (SQLException e) {
      if (!Insertion.isOverTime(e)) {
        throw e;
      }
      if (!expendable) {
        backToSavepoint(connection);
      }
      return NOT_FREE;
    }
  }

  /** Of the statement behind {@link #LIMIT}: how many rows it has changed, or returned. */
  private int limitedRows(Connection connection, String text, @Nullable Object[] values)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(text)) {
      sql.table.bind(statement, values);
      boolean isRows = statement.execute();
      while (!isRows) { // the savepoint
        isRows = statement.getMoreResults();
      }
      return statement.getMoreResults()
          ? count(statement.getResultSet())
          : statement.getUpdateCount();
    }
  }

  private static int count(ResultSet rows) throws SQLException {
    int count = 0;
    while (rows.next()) {
      count++;
    }
    return count;
  }

  private static void backToSavepoint(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("ROLLBACK TO SAVEPOINT " + SAVEPOINT + FORGET);
    }
  }
}
