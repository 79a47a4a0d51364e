package dev.holdfast.idempotency.internal;

import dev.holdfast.sql.SqlError;
import dev.holdfast.sql.SqlErrors;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
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
  public Outcome insert(
      Connection connection,
      NewRecord record,
      Duration wait,
      boolean expendable,
      boolean overExpired)
      throws SQLException {
    try {
      return limited(
          connection,
          wait,
          limit -> {
            if (overExpired) {
              sql.table.update(
                  connection, limit + sql.deleteExpired, record.id().shard(), record.id().digest());
            }
            sql.table.update(connection, limit + sql.insert(record), record.values());
            return Outcome.INSERTED;
          });
    } catch (SQLException e) {
      return switch (SqlErrors.classify(e)) {
        case UNIQUE_VIOLATION -> Outcome.THERE;
        case LOCK_TIMEOUT -> Outcome.HELD;
        default -> throw e;
      };
    }
  }

  @Override
  public int change(
      Connection connection,
      Duration wait,
      boolean expendable,
      String text,
      @Nullable Object... values)
      throws SQLException {
    try {
      return limited(connection, wait, limit -> sql.table.update(connection, limit + text, values));
    } catch (SQLException e) {
      if (SqlErrors.classify(e) == SqlError.LOCK_TIMEOUT) {
        return NOT_FREE;
      }
      throw e;
    }
  }

  /** Statements that begin with words that limit their wait, where there are such words. */
  private interface Limited<T> {
    T run(String limit) throws SQLException;
  }

  private <T> T limited(Connection connection, Duration wait, Limited<T> statements)
      throws SQLException {
    Duration limit = Insertion.atLeastShortest(wait);
    return switch (words) {
      case MARIADB -> statements.run(ofStatement(wait));
      case MYSQL -> inSession(connection, statements, MYSQL_LIMIT, MYSQL_SET, seconds(limit));
      case H2 -> inSession(connection, statements, H2_LIMIT, H2_SET, limit.toMillis());
    };
  }

  private static final String MYSQL_LIMIT = "SELECT @@SESSION.innodb_lock_wait_timeout";
  private static final String MYSQL_SET = "SET SESSION innodb_lock_wait_timeout = ";
  private static final String H2_LIMIT = "SELECT LOCK_TIMEOUT()";
  private static final String H2_SET = "SET LOCK_TIMEOUT ";

  /** MariaDB waits for whole seconds, or not at all. */
  private static String ofStatement(Duration wait) {
    long seconds = wait.isZero() ? 0 : seconds(wait);
    return "SET STATEMENT innodb_lock_wait_timeout = " + seconds + " FOR ";
  }

  private static long seconds(Duration wait) {
    return Math.max(1, wait.plusMillis(999).toSeconds());
  }

  private static <T> T inSession(
      Connection connection, Limited<T> statements, String ask, String set, long limit)
      throws SQLException {
    try (Statement statement = connection.createStatement()) {
      long before;
      try (ResultSet answer = statement.executeQuery(ask)) {
        answer.next();
        before = answer.getLong(1);
      }
      statement.execute(set + limit);
      T outcome;
      try {
        outcome = statements.run("");
      } catch (SQLException | RuntimeException e) {
        try {
          statement.execute(set + before);
        } catch (SQLException lost) {
          e.addSuppressed(lost);
        }
        throw e;
      }
      statement.execute(set + before);
      return outcome;
    }
  }
}
