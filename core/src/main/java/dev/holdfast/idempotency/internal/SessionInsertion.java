package dev.holdfast.idempotency.internal;

import dev.holdfast.sql.SqlErrors;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/**
 * On MariaDB, MySQL and H2, where a duplicate key and a lock that is not free in time undo the
 * statement only, and the limit of the wait belongs to the session or, on MariaDB, to a statement.
 */
final class SessionInsertion implements Insertion {
  private static final Duration SHORTEST_WAIT = Duration.ofMillis(100);

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
      Connection connection, NewRecord record, Duration wait, boolean overExpired)
      throws SQLException {
    // H2 also waits for locks that have nothing to do with the key, for very short times
    Duration limit = wait.compareTo(SHORTEST_WAIT) < 0 ? SHORTEST_WAIT : wait;
    try {
      return switch (words) {
        case MARIADB -> insert(connection, record, overExpired, limited(wait));
        case MYSQL ->
            inSession(connection, record, overExpired, MYSQL_LIMIT, MYSQL_SET, seconds(limit));
        case H2 -> inSession(connection, record, overExpired, H2_LIMIT, H2_SET, limit.toMillis());
      };
    } catch (SQLException e) {
      return switch (SqlErrors.classify(e)) {
        case UNIQUE_VIOLATION -> Outcome.THERE;
        case LOCK_TIMEOUT -> Outcome.HELD;
        default -> throw e;
      };
    }
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

  private Outcome inSession(
      Connection connection,
      NewRecord record,
      boolean overExpired,
      String ask,
      String set,
      long limit)
      throws SQLException {
    try (Statement statement = connection.createStatement()) {
      long before;
      try (ResultSet answer = statement.executeQuery(ask)) {
        answer.next();
        before = answer.getLong(1);
      }
      statement.execute(set + limit);
      Outcome outcome;
      try {
        outcome = insert(connection, record, overExpired, "");
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

  private Outcome insert(Connection connection, NewRecord record, boolean overExpired, String limit)
      throws SQLException {
    if (overExpired) {
      sql.table.update(
          connection, limit + sql.deleteExpired, record.id().shard(), record.id().digest());
    }
    sql.table.update(connection, limit + sql.insert(record), record.values());
    return Outcome.INSERTED;
  }
}
