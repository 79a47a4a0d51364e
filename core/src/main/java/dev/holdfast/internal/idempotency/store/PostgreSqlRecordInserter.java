package dev.holdfast.internal.idempotency.store;

import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.Transaction;
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
 * Inserts on PostgreSQL. An insert would wait for another transaction that has inserted the same
 * key until that ends. So each insert first takes a transaction-level advisory lock, and inserts
 * nothing if another transaction has it. The lock only prevents the wait: the primary key of the
 * table ensures that there is one record for a key. Whether a record was inserted is decided by the
 * row that the insert returns, never by its row count: an engine that distributes tables, such as
 * Citus, may return 1 for an insert that inserted nothing.
 *
 * <p>Statements that wait are sent with the lock timeout set before and restored after, in one text
 * and one round trip.
 */
final class PostgreSqlRecordInserter implements RecordInserter {
  /** Each table has its own locks. */
  private static final String LOCK = "(? # 'TABLE'::regclass::oid::bigint)";

  private static final String LIMIT =
      "SELECT set_config('holdfast.lock_timeout', current_setting('lock_timeout'), true),"
          + " set_config('lock_timeout', ?, true); ";

  private static final String UNLIMIT =
      "; SELECT set_config('lock_timeout', current_setting('holdfast.lock_timeout'), true)";

  private static final String SAVEPOINT = "holdfast_idempotency";
  private static final String SAVE = "SAVEPOINT " + SAVEPOINT + "; ";
  private static final String RELEASE = "; RELEASE SAVEPOINT " + SAVEPOINT;

  private final RecordStatements sql;
  private final String lock;
  private final String insertInTransaction;
  private final String insertWithLease;

  PostgreSqlRecordInserter(RecordStatements sql) {
    this.sql = sql;
    this.lock = LOCK.replace("TABLE", sql.table.text("{idempotency}").replace("'", "''"));
    this.insertInTransaction = ifFree(sql.insertInTransaction);
    this.insertWithLease = ifFree(sql.insertWithLease);
  }

  /** Parameters of a {@code SELECT} do not get the types of the columns. */
  private String ifFree(String insert) {
    String select = insert.replace(" VALUES (", " SELECT ");
    return select.substring(0, select.length() - 1).replace("?, ?)", "?, CAST(? AS bytea))")
        + " WHERE pg_try_advisory_xact_lock"
        + lock
        + " ON CONFLICT (shard, id) DO NOTHING RETURNING shard";
  }

  @Override
  public Attempt insert(
      Connection connection,
      NewRecord record,
      Duration wait,
      boolean mayFail,
      Supplier<String> read)
      throws SQLException {
    RecordId id = record.id();
    @Nullable Object[] values = with(record.values(), lock(id));
    // a claim may also meet a transactional step of its request, which does not take the lock
    int rows =
        record.hasLease()
            ? change(connection, wait, mayFail, insertWithLease, values)
            : sql.table.query(connection, insertInTransaction, row -> true, values).size();
    return switch (rows) {
      case NOT_FREE -> new Attempt.Locked();
      case 0 -> read(connection, id, read.get());
      default -> new Attempt.Inserted();
    };
  }

  private Attempt read(Connection connection, RecordId id, String read) throws SQLException {
    return Attempt.of(
        read.equals(ENDING)
            ? sql.completed(connection, id, ENDING)
            : sql.read(connection, id, read));
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
  public boolean isFree(Connection connection, RecordId id, Duration wait, boolean mayFail)
      throws SQLException {
    return wait.toMillis() > 0
        ? await(connection, id, wait, mayFail)
        : sql.table
            .first(
                connection,
                "SELECT pg_try_advisory_xact_lock" + lock,
                row -> row.getBoolean(1),
                lock(id))
            .orElse(false);
  }

  @Override
  public boolean await(Connection connection, RecordId id, Duration wait, boolean mayFail)
      throws SQLException {
    if (wait.toMillis() <= 0) {
      return false;
    }
    return change(connection, wait, mayFail, "SELECT pg_advisory_xact_lock" + lock, lock(id))
        != NOT_FREE;
  }

  @Override
  public boolean failsOnConcurrentChange(Transaction tx) {
    return tx.isolation().compareTo(Isolation.REPEATABLE_READ) >= 0;
  }

  @Override
  public int change(
      Connection connection, Duration wait, boolean mayFail, String sql, @Nullable Object... values)
      throws SQLException {
    @Nullable Object[] all = new @Nullable Object[values.length + 1];
    all[0] = Long.toString(RecordInserter.atLeastMinWait(wait).toMillis());
    System.arraycopy(values, 0, all, 1, values.length);
    String limited = LIMIT + sql + UNLIMIT;
    try {
      return limitedRows(connection, mayFail ? limited : SAVE + limited + RELEASE, all);
    } catch (SQLException e) {
      if (!RecordInserter.isTimeout(e)) {
        throw e;
      }
      if (!mayFail) {
        backToSavepoint(connection);
      }
      return NOT_FREE;
    }
  }

  /** How many rows the statement after {@link #LIMIT} has changed or returned. */
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
      statement.execute("ROLLBACK TO SAVEPOINT " + SAVEPOINT + RELEASE);
    }
  }
}
