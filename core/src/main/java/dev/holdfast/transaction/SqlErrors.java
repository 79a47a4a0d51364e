package dev.holdfast.transaction;

import dev.holdfast.HoldfastException;
import dev.holdfast.internal.sql.PoolerHint;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The one classifier of SQL errors, for PostgreSQL, MariaDB, MySQL and H2.
 *
 * <p>It looks through causes and chained exceptions, so it understands what Spring, Hibernate or a
 * pool have wrapped. What it does not know is {@link SqlError#UNKNOWN} and never retried.
 * Thread-safe.
 */
public final class SqlErrors {
  /** Longer chains of causes are cyclic or hostile; nothing is learned beyond this depth. */
  private static final int DEEPEST_CAUSE = 50;

  private SqlErrors() {}

  /** What {@code failure}, or the first SQL error that it was caused by, means. */
  public static SqlError classify(@Nullable Throwable failure) {
    Throwable cause = failure;
    for (int depth = 0; cause != null && depth < DEEPEST_CAUSE; depth++) {
      if (cause instanceof SQLException sql) {
        SqlError error = classifyChain(sql);
        if (error != SqlError.UNKNOWN) {
          return error;
        }
      }
      cause = cause.getCause();
    }
    return SqlError.UNKNOWN;
  }

  /**
   * Whether running the same work again, in a fresh transaction, is safe and may succeed. An error
   * of Holdfast's own decides for itself: a commit of unknown outcome is not retryable, whatever
   * caused it.
   */
  public static boolean retryable(@Nullable Throwable failure) {
    Throwable cause = failure;
    for (int depth = 0; cause != null && depth < DEEPEST_CAUSE; depth++) {
      if (cause instanceof HoldfastException own) {
        return own.retryable();
      }
      if (cause instanceof SQLException sql) {
        SqlError error = classifyChain(sql);
        if (error != SqlError.UNKNOWN) {
          return error.retryable();
        }
      }
      cause = cause.getCause();
    }
    return false;
  }

  /** Whether {@code failure} is, or was caused by, a commit of unknown outcome. */
  static boolean isCommitUnknown(Throwable failure) {
    Throwable cause = failure;
    for (int depth = 0; cause != null && depth < DEEPEST_CAUSE; depth++) {
      if (cause instanceof CommitUnknownException) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  /**
   * Whether a commit that failed so has certainly not happened. PostgreSQL reports what a deferred
   * constraint or trigger raises under its own code, having rolled back; classes of trouble with
   * the server itself (08, 53, 57, 58, XX) say nothing.
   */
  static boolean rulesOutCommit(SQLException failure) {
    String state = failure.getSQLState() == null ? "" : failure.getSQLState();
    return classify(failure).rulesOutCommit()
        || (failure.getErrorCode() == 0 && state.matches("(22|23|27|42|44|P0)..."));
  }

  private static SqlError classifyChain(SQLException first) {
    SQLException sql = first;
    for (int depth = 0; sql != null && depth < DEEPEST_CAUSE; depth++) {
      SqlError error = classifyOne(sql);
      if (error != SqlError.UNKNOWN) {
        return error;
      }
      sql = sql.getNextException();
    }
    return SqlError.UNKNOWN;
  }

  /**
   * The vendors' codes do not overlap: pgjdbc always says 0, MariaDB and MySQL stay below 20000,
   * and those of H2 used here are above. So the database need not be known.
   */
  private static SqlError classifyOne(SQLException failure) {
    int code = failure.getErrorCode();
    String state = failure.getSQLState() == null ? "" : failure.getSQLState();
    SqlError error =
        code >= 20_000
            ? ofH2(code)
            : code > 0 ? ofMariaDbOrMySql(code, failure) : ofPostgreSql(state, failure);
    return error == SqlError.UNKNOWN ? ofAnyDriver(failure, state) : error;
  }

  /** What the drivers find out by themselves comes without a code of the server. */
  private static SqlError ofAnyDriver(SQLException failure, String state) {
    // 08P01 of a prepared statement that is another's: the connection is there
    if (PoolerHint.fits(failure)) {
      return SqlError.UNKNOWN;
    }
    // 25S03: MariaDB's driver has swapped the node under the transaction, which is lost
    if (state.startsWith("08") || state.equals("25S03")) {
      return SqlError.CONNECTION_LOST;
    }
    return failure instanceof SQLTimeoutException ? SqlError.STATEMENT_TIMEOUT : SqlError.UNKNOWN;
  }

  private static SqlError ofPostgreSql(String state, SQLException failure) {
    return switch (state) {
      case "23505" -> SqlError.UNIQUE_VIOLATION;
      case "23503", "23001" -> SqlError.FOREIGN_KEY_VIOLATION;
      case "23514" -> SqlError.CHECK_VIOLATION;
      case "23502" -> SqlError.NOT_NULL_VIOLATION;
      case "40001" -> SqlError.SERIALIZATION_FAILURE;
      case "40P01" -> SqlError.DEADLOCK;
      case "55P03" -> SqlError.LOCK_TIMEOUT;
      case "57014" -> SqlError.STATEMENT_TIMEOUT;
      // shutdown, crash, starting up, dropped; the session or the transaction idle, or the
      // transaction running, for too long; no connection left
      case "57P01", "57P02", "57P03", "57P04", "57P05", "25P03", "25P04", "53300" ->
          SqlError.CONNECTION_LOST;
      case "25P02" -> SqlError.TRANSACTION_ABORTED;
      case "25006" -> SqlError.READ_ONLY;
      case "42P01", "42703", "3F000", "3D000" -> SqlError.MISSING_OBJECT;
      case "22003" -> SqlError.OUT_OF_RANGE;
      case "26000" -> SqlError.STALE_STATEMENT;
      // "cached plan must not change result type"; the same code stands for any missing feature
      case "0A000" ->
          String.valueOf(failure.getMessage()).contains("cached plan")
              ? SqlError.STALE_STATEMENT
              : SqlError.UNKNOWN;
      default -> SqlError.UNKNOWN;
    };
  }

  private static SqlError ofMariaDbOrMySql(int code, SQLException failure) {
    return switch (code) {
      case 1062, 1586 -> SqlError.UNIQUE_VIOLATION;
      case 1216, 1217, 1451, 1452 -> SqlError.FOREIGN_KEY_VIOLATION;
      case 3819, 4025 -> SqlError.CHECK_VIOLATION;
      case 1048, 1364 -> SqlError.NOT_NULL_VIOLATION;
      // 1020 comes with SQLSTATE HY000 where innodb_snapshot_isolation is on
      case 1020 -> SqlError.SERIALIZATION_FAILURE;
      case 1213 -> SqlError.DEADLOCK;
      // 1205 rolls back the statement only: the transaction must still be rolled back
      case 1205, 3572 -> SqlError.LOCK_TIMEOUT;
      case 1317, 1969, 3024 -> SqlError.STATEMENT_TIMEOUT;
      case 1047, 1053, 1927, 2006, 2013 -> SqlError.CONNECTION_LOST;
      // 1036, of a table: what InnoDB says under innodb_read_only
      case 1036, 1792, 1836 -> SqlError.READ_ONLY;
      // "running with the --read-only option"; the same code stands for any other option
      case 1290 ->
          String.valueOf(failure.getMessage()).contains("read-only")
              ? SqlError.READ_ONLY
              : SqlError.UNKNOWN;
      case 1049, 1054, 1146 -> SqlError.MISSING_OBJECT;
      case 1264, 1690 -> SqlError.OUT_OF_RANGE;
      default -> SqlError.UNKNOWN;
    };
  }

  private static SqlError ofH2(int code) {
    return switch (code) {
      case 23505 -> SqlError.UNIQUE_VIOLATION;
      case 23503, 23506 -> SqlError.FOREIGN_KEY_VIOLATION;
      case 23513, 23514 -> SqlError.CHECK_VIOLATION;
      case 23502 -> SqlError.NOT_NULL_VIOLATION;
      // a row that somebody has changed or deleted meanwhile
      case 90112, 90131, 90143 -> SqlError.SERIALIZATION_FAILURE;
      case 40001 -> SqlError.DEADLOCK;
      case 50200 -> SqlError.LOCK_TIMEOUT;
      case 57014 -> SqlError.STATEMENT_TIMEOUT;
      case 90007, 90067, 90098, 90121 -> SqlError.CONNECTION_LOST;
      case 90097 -> SqlError.READ_ONLY;
      case 42102, 42103, 42104, 42122, 90079 -> SqlError.MISSING_OBJECT;
      case 22003, 22004 -> SqlError.OUT_OF_RANGE;
      default -> SqlError.UNKNOWN;
    };
  }
}
