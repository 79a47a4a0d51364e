package dev.holdfast.idempotency.internal;

import dev.holdfast.sql.Isolation;
import dev.holdfast.sql.SqlError;
import dev.holdfast.sql.SqlErrors;
import dev.holdfast.sql.Transaction;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * On MariaDB, MySQL and H2, where a duplicate key and a lock that is not free in time undo the
 * statement only, and the limit of the wait belongs to the session or, on MariaDB, to a statement.
 */
final class SessionInsertion implements Insertion {
  private final RecordSql sql;
  private final Words words;

  /** How the wait of the next statements is limited. */
  enum Words {
    MARIADB,
    MYSQL,
    H2
  }

  SessionInsertion(RecordSql sql, Words words) {
    this.sql = sql;
    this.words = words;
  }

  @Override
  public Tried insert(
      Connection connection,
      NewRecord record,
      Duration wait,
      boolean expendable,
      Supplier<String> read)
      throws SQLException {
    if (words != Words.H2 || !isThere(connection, record.id())) {
      try {
        int rows = change(connection, wait, expendable, sql.insert(record), record.values());
        return rows == NOT_FREE ? new Tried.Held() : new Tried.Inserted();
      } catch (SQLException e) {
        if (SqlErrors.classify(e) != SqlError.UNIQUE_VIOLATION) {
          throw e;
        }
      }
    }
    return Tried.of(sql.look(connection, record.id(), read.get()));
  }

  /**
   * H2 lets those who wait for a transaction in which a statement has failed spin until it ends,
   * however short they want to wait. So a duplicate must not fail there.
   */
  private boolean isThere(Connection connection, RecordId id) throws SQLException {
    return sql.table
        .first(connection, sql.isThere, row -> true, id.shard(), id.digest())
        .isPresent();
  }

  @Override
  public boolean refusesWhatHasChanged(Transaction tx) throws SQLException {
    return tx.isolation().compareTo(Isolation.REPEATABLE_READ) >= 0
        && (words == Words.H2 || (words == Words.MARIADB && isSnapshot(tx.connection())));
  }

  /** By choice, and by default from 11.6.2 on; versions before 10.6.18 do not know it. */
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
      boolean expendable,
      String text,
      @Nullable Object... values)
      throws SQLException {
    Duration limit = Insertion.atLeastShortest(wait);
    try {
      return switch (words) {
        case MARIADB -> sql.table.update(connection, limited(wait) + text, values);
        case MYSQL -> inSession(connection, MYSQL_LIMIT, MYSQL_SET, seconds(limit), text, values);
        case H2 -> inSession(connection, H2_LIMIT, H2_SET, limit.toMillis(), text, values);
      };
    } catch (SQLException e) {
      if (!Insertion.isOverTime(e) || (!expendable && isRolledBack(connection))) {
        throw e;
      }
      return NOT_FREE;
    }
  }

  /** By choice, MariaDB and MySQL undo all of a transaction that did not get a lock in time. */
  private boolean isRolledBack(Connection connection) throws SQLException {
    return words != Words.H2
        && sql.table
            .first(
                connection, "SELECT @@GLOBAL.innodb_rollback_on_timeout", row -> row.getBoolean(1))
            .orElse(false);
  }

  private static final String MYSQL_LIMIT = "SELECT @@SESSION.innodb_lock_wait_timeout";
  private static final String MYSQL_SET = "SET SESSION innodb_lock_wait_timeout = ";
  private static final String H2_LIMIT = "SELECT LOCK_TIMEOUT()";
  private static final String H2_SET = "SET LOCK_TIMEOUT ";

  /** MariaDB waits for whole seconds, or not at all. */
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
