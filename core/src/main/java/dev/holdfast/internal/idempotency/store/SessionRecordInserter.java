package dev.holdfast.internal.idempotency.store;

import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.SqlError;
import dev.holdfast.transaction.Transaction;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Inserts on MariaDB, MySQL and H2. There a duplicate key or a lock timeout undoes only the
 * statement, and the lock timeout belongs to the session or, on MariaDB, to the statement.
 */
final class SessionRecordInserter implements RecordInserter {
  private final RecordStatements sql;
  private final Syntax syntax;

  /** How a database sets the lock timeout. */
  enum Syntax {
    MARIADB,
    MYSQL,
    H2
  }

  SessionRecordInserter(RecordStatements sql, Syntax syntax) {
    this.sql = sql;
    this.syntax = syntax;
  }

  @Override
  public Attempt insert(
      Connection connection,
      NewRecord record,
      Duration wait,
      boolean mayFail,
      Supplier<String> read)
      throws SQLException {
    if (syntax != Syntax.H2 || !isThere(connection, record.id())) {
      try {
        int rows = change(connection, wait, mayFail, sql.insert(record), record.values());
        return rows == NOT_FREE ? new Attempt.Locked() : new Attempt.Inserted();
      } catch (SQLException e) {
        if (SqlError.of(e) != SqlError.UNIQUE_VIOLATION) {
          throw e;
        }
      }
    }
    return Attempt.of(sql.read(connection, record.id(), read.get()));
  }

  /**
   * On H2, a statement that waits for a transaction in which another statement has failed spins
   * until that transaction ends, whatever its timeout. So a duplicate must not fail there.
   */
  private boolean isThere(Connection connection, RecordId id) throws SQLException {
    return sql.isThere(connection, id);
  }

  @Override
  public boolean failsOnConcurrentChange(Transaction tx) throws SQLException {
    return tx.isolation().compareTo(Isolation.REPEATABLE_READ) >= 0
        && (syntax == Syntax.H2 || (syntax == Syntax.MARIADB && isSnapshot(tx.connection())));
  }

  /** The default from 11.6.2 on; versions before 10.6.18 do not have it. */
  private boolean isSnapshot(Connection connection) throws SQLException {
    return sql.table
        .first(
            connection,
            "SHOW SESSION VARIABLES LIKE 'innodb_snapshot_isolation'",
            row -> row.getString(2).equals("ON"))
        .orElse(false);
  }

  @Override
  public int change(
      Connection connection,
      Duration wait,
      boolean mayFail,
      String text,
      @Nullable Object... values)
      throws SQLException {
    Duration limit = RecordInserter.atLeastMinWait(wait);
    try {
      return switch (syntax) {
        case MARIADB -> sql.table.update(connection, limited(wait) + text, values);
        case MYSQL -> inSession(connection, MYSQL_LIMIT, MYSQL_SET, seconds(limit), text, values);
        case H2 -> inSession(connection, H2_LIMIT, H2_SET, limit.toMillis(), text, values);
      };
    } catch (SQLException e) {
      if (!RecordInserter.isTimeout(e) || (!mayFail && isRolledBack(connection))) {
        throw e;
      }
      return NOT_FREE;
    }
  }

  /** MariaDB and MySQL may be configured to roll back the transaction after a lock timeout. */
  private boolean isRolledBack(Connection connection) throws SQLException {
    return syntax != Syntax.H2
        && sql.table
            .first(
                connection, "SELECT @@GLOBAL.innodb_rollback_on_timeout", row -> row.getBoolean(1))
            .orElse(false);
  }

  private static final String MYSQL_LIMIT = "SELECT @@SESSION.innodb_lock_wait_timeout";
  private static final String MYSQL_SET = "SET SESSION innodb_lock_wait_timeout = ";
  private static final String H2_LIMIT = "SELECT LOCK_TIMEOUT()";
  private static final String H2_SET = "SET LOCK_TIMEOUT ";

  /** MariaDB waits for whole seconds or not at all. */
  private static String limited(Duration wait) {
    long seconds = wait.isZero() ? 0 : seconds(wait);
    return "SET STATEMENT innodb_lock_wait_timeout = " + seconds + " FOR ";
  }

  private static long seconds(Duration wait) {
    return Math.max(1, wait.plusMillis(999).toSeconds());
  }

  private int inSession(
      Connection connection,
      String ask,
      String set,
      long limit,
      String text,
      @Nullable Object[] values)
      throws SQLException {
    try (Statement statement = connection.createStatement()) {
      long before;
      try (ResultSet answer = statement.executeQuery(ask)) {
        answer.next();
        before = answer.getLong(1);
      }
      statement.execute(set + limit);
      int rows;
      try {
        rows = sql.table.update(connection, text, values);
      } catch (SQLException | RuntimeException e) {
        try {
          statement.execute(set + before);
        } catch (SQLException lost) {
          e.addSuppressed(lost);
        }
        throw e;
      }
      statement.execute(set + before);
      return rows;
    }
  }
}
