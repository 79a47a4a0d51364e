package dev.holdfast.transaction;

import dev.holdfast.HoldfastException;
import dev.holdfast.InvalidArgumentException;
import dev.holdfast.internal.sql.PoolerHint;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * What an error of the database means: the same on PostgreSQL, MariaDB, MySQL and H2.
 *
 * <p>{@link #of} looks through causes and chained exceptions, so it also understands errors that
 * Spring, Hibernate or a pool have wrapped. Unknown errors are {@link #UNKNOWN} and never retried.
 */
public enum SqlError {
  UNIQUE_VIOLATION,
  FOREIGN_KEY_VIOLATION,
  CHECK_VIOLATION,
  NOT_NULL_VIOLATION,
  /** The transaction saw a state that others have changed since; it is rolled back. */
  SERIALIZATION_FAILURE,
  /** The database chose this transaction as the victim of a deadlock; it is rolled back. */
  DEADLOCK,
  /** A lock was not free in time, or not at once where {@code NOWAIT} was asked. */
  LOCK_TIMEOUT,
  /** A statement ran into its time limit, or was cancelled by someone. */
  STATEMENT_TIMEOUT,
  /** The connection is gone or could not be made. */
  CONNECTION_LOST,
  /** A statement after a failed one: the transaction can only be rolled back (PostgreSQL). */
  TRANSACTION_ABORTED,
  /** A write in a read-only transaction, or on a server that is a replica since a failover. */
  READ_ONLY,
  /** A table, column or schema that does not exist. */
  OBJECT_NOT_FOUND,
  /** A number that does not fit its column. */
  OUT_OF_RANGE,
  /**
   * A prepared statement that the server has dropped, or whose table has got other columns since
   * (PostgreSQL). The driver prepares it anew.
   */
  STALE_STATEMENT,
  /** Everything else. Never retried. */
  UNKNOWN;

  /** Longer chains of causes are cyclic; deeper causes are ignored. */
  private static final int MAX_DEPTH = 50;

  /**
   * Whether the same work may succeed in a fresh transaction. True only where the failed
   * transaction certainly left nothing behind, provided that the error did not come from its
   * commit.
   */
  public boolean isRetryable() {
    return switch (this) {
      case SERIALIZATION_FAILURE, DEADLOCK, LOCK_TIMEOUT, CONNECTION_LOST, STALE_STATEMENT -> true;
      default -> false;
    };
  }

  /** Whether a commit that failed with this error has certainly not happened. */
  boolean rulesOutCommit() {
    return switch (this) {
      case UNIQUE_VIOLATION,
          FOREIGN_KEY_VIOLATION,
          CHECK_VIOLATION,
          NOT_NULL_VIOLATION,
          SERIALIZATION_FAILURE,
          DEADLOCK,
          TRANSACTION_ABORTED ->
          true;
      default -> false;
    };
  }

  /** What {@code failure}, or the first SQL error that it was caused by, means. */
  public static SqlError of(@Nullable Throwable failure) {
    Throwable cause = failure;
    for (int depth = 0; cause != null && depth < MAX_DEPTH; depth++) {
      if (cause instanceof SQLException sql) {
        SqlError error = classifyChain(sql);
        if (error != UNKNOWN) {
          return error;
        }
      }
      cause = cause.getCause();
    }
    return UNKNOWN;
  }

  /**
   * Whether running the same work again, in a fresh transaction, is safe and may succeed. An error
   * of Holdfast's own decides for itself: a commit of unknown outcome is not retryable, whatever
   * caused it.
   */
  public static boolean isRetryable(@Nullable Throwable failure) {
    Throwable cause = failure;
    for (int depth = 0; cause != null && depth < MAX_DEPTH; depth++) {
      if (cause instanceof HoldfastException own) {
        return own.isRetryable();
      }
      if (cause instanceof InvalidArgumentException) {
        return false;
      }
      if (cause instanceof SQLException sql) {
        SqlError error = classifyChain(sql);
        if (error != UNKNOWN) {
          return error.isRetryable();
        }
      }
      cause = cause.getCause();
    }
    return false;
  }

  /** Whether {@code failure} is, or was caused by, a commit of unknown outcome. */
  static boolean isCommitUnknown(Throwable failure) {
    Throwable cause = failure;
    for (int depth = 0; cause != null && depth < MAX_DEPTH; depth++) {
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
    return of(failure).rulesOutCommit()
        || (failure.getErrorCode() == 0 && state.matches("(22|23|27|42|44|P0)..."));
  }

  private static SqlError classifyChain(SQLException first) {
    SQLException sql = first;
    for (int depth = 0; sql != null && depth < MAX_DEPTH; depth++) {
      SqlError error = classifyOne(sql);
      if (error != UNKNOWN) {
        return error;
      }
      sql = sql.getNextException();
    }
    return UNKNOWN;
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
    return error == UNKNOWN ? ofAnyDriver(failure, state) : error;
  }

  /** What the drivers find out by themselves comes without a code of the server. */
  private static SqlError ofAnyDriver(SQLException failure, String state) {
    // 08P01 of a prepared statement that is another's: the connection is there
    if (PoolerHint.fits(failure)) {
      return UNKNOWN;
    }
    // 25S03: MariaDB's driver has swapped the node under the transaction, which is lost
    if (state.startsWith("08") || state.equals("25S03")) {
      return CONNECTION_LOST;
    }
    return failure instanceof SQLTimeoutException ? STATEMENT_TIMEOUT : UNKNOWN;
  }

  private static SqlError ofPostgreSql(String state, SQLException failure) {
    return switch (state) {
      case "23505" -> UNIQUE_VIOLATION;
      case "23503", "23001" -> FOREIGN_KEY_VIOLATION;
      case "23514" -> CHECK_VIOLATION;
      case "23502" -> NOT_NULL_VIOLATION;
      case "40001" -> SERIALIZATION_FAILURE;
      case "40P01" -> DEADLOCK;
      case "55P03" -> LOCK_TIMEOUT;
      case "57014" -> STATEMENT_TIMEOUT;
      // shutdown, crash, starting up, dropped; the session or the transaction idle, or the
      // transaction running, for too long; no connection left
      case "57P01", "57P02", "57P03", "57P04", "57P05", "25P03", "25P04", "53300" ->
          CONNECTION_LOST;
      case "25P02" -> TRANSACTION_ABORTED;
      case "25006" -> READ_ONLY;
      case "42P01", "42703", "3F000", "3D000" -> OBJECT_NOT_FOUND;
      case "22003" -> OUT_OF_RANGE;
      case "26000" -> STALE_STATEMENT;
      // "cached plan must not change result type"; the same code stands for any missing feature
      case "0A000" ->
          String.valueOf(failure.getMessage()).contains("cached plan") ? STALE_STATEMENT : UNKNOWN;
      default -> UNKNOWN;
    };
  }

  private static SqlError ofMariaDbOrMySql(int code, SQLException failure) {
    return switch (code) {
      case 1062, 1586 -> UNIQUE_VIOLATION;
      case 1216, 1217, 1451, 1452 -> FOREIGN_KEY_VIOLATION;
      case 3819, 4025 -> CHECK_VIOLATION;
      case 1048, 1364 -> NOT_NULL_VIOLATION;
      // 1020 comes with SQLSTATE HY000 where innodb_snapshot_isolation is on
      case 1020 -> SERIALIZATION_FAILURE;
      case 1213 -> DEADLOCK;
      // 1205 rolls back the statement only: the transaction must still be rolled back
      case 1205, 3572 -> LOCK_TIMEOUT;
      case 1317, 1969, 3024 -> STATEMENT_TIMEOUT;
      case 1047, 1053, 1927, 2006, 2013 -> CONNECTION_LOST;
      // 1036, of a table: what InnoDB says under innodb_read_only
      case 1036, 1792, 1836 -> READ_ONLY;
      // "running with the --read-only option"; the same code stands for any other option
      case 1290 -> String.valueOf(failure.getMessage()).contains("read-only") ? READ_ONLY : UNKNOWN;
      case 1049, 1054, 1146 -> OBJECT_NOT_FOUND;
      case 1264, 1690 -> OUT_OF_RANGE;
      default -> UNKNOWN;
    };
  }

  private static SqlError ofH2(int code) {
    return switch (code) {
      case 23505 -> UNIQUE_VIOLATION;
      case 23503, 23506 -> FOREIGN_KEY_VIOLATION;
      case 23513, 23514 -> CHECK_VIOLATION;
      case 23502 -> NOT_NULL_VIOLATION;
      // a row that somebody has changed or deleted meanwhile
      case 90112, 90131, 90143 -> SERIALIZATION_FAILURE;
      case 40001 -> DEADLOCK;
      case 50200 -> LOCK_TIMEOUT;
      case 57014 -> STATEMENT_TIMEOUT;
      case 90007, 90067, 90098, 90121 -> CONNECTION_LOST;
      case 90097 -> READ_ONLY;
      case 42102, 42103, 42104, 42122, 90079 -> OBJECT_NOT_FOUND;
      case 22003, 22004 -> OUT_OF_RANGE;
      default -> UNKNOWN;
    };
  }
}
