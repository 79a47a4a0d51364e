package dev.holdfast.internal.sql;

import dev.holdfast.transaction.SqlError;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/** Runs statements outside of any transaction, also on a connection of a pool that opens one. */
public final class AutocommitRunner {
  private static final int MAX_TRIES = 20;
  private static final long MIN_DELAY_NANOS = TimeUnit.MICROSECONDS.toNanos(500);
  private static final long MAX_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private AutocommitRunner() {}

  /** Statements that answer something. */
  public interface Statements<T> {
    T run(Connection connection) throws SQLException;
  }

  /**
   * Each statement is committed by itself. Some pools hand out what they get back as it is: so the
   * connection is left as it was, also after a failure.
   */
  public static <T> T run(Connection connection, Statements<T> statements) throws SQLException {
    if (connection.getAutoCommit()) {
      return statements.run(connection);
    }
    connection.setAutoCommit(true);
    T answer;
    try {
      answer = statements.run(connection);
    } catch (SQLException | RuntimeException | Error e) {
      try {
        connection.setAutoCommit(false);
      } catch (SQLException lost) {
        e.addSuppressed(lost);
      }
      throw e;
    }
    connection.setAutoCommit(false);
    return answer;
  }

  /**
   * As {@link #run}, on a connection of its own, and again where the last statement certainly did
   * nothing: where a pool has a strict isolation, those who change one row at once make each other
   * fail.
   */
  public static <T> T retrying(DataSource dataSource, Statements<T> statements)
      throws SQLException {
    for (int tries = 1; ; tries++) {
      try (Connection connection = dataSource.getConnection()) {
        return run(connection, statements);
      } catch (SQLException e) {
        if (tries == MAX_TRIES || !didNothing(e)) {
          throw e;
        }
      }
      pauseAfter(tries);
    }
  }

  /** A short random pause before the next try, so that those who met do not meet again. */
  public static void pauseAfter(int tries) {
    LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(maxDelayAfter(tries)));
  }

  private static long maxDelayAfter(int tries) {
    return Math.min(MAX_DELAY_NANOS, MIN_DELAY_NANOS << tries);
  }

  private static boolean didNothing(SQLException failure) {
    return didNothing(SqlError.of(failure));
  }

  /** Whether what failed so certainly did nothing, and may work when it is repeated at once. */
  public static boolean didNothing(SqlError error) {
    return error == SqlError.DEADLOCK
        || error == SqlError.SERIALIZATION_FAILURE
        || error == SqlError.UNIQUE_VIOLATION
        || error == SqlError.STALE_STATEMENT;
  }
}
