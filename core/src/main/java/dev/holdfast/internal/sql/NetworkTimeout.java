package dev.holdfast.internal.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A limit on how long a connection waits for the server, and how to take the limit back.
 *
 * <p>Without one, a driver waits for ever on a connection whose packets are silently dropped. When
 * the limit is reached, the driver fails the statement and closes the connection. A shorter limit
 * that the connection already has, such as from {@code socketTimeout} in its URL, is kept. Drivers
 * that cannot do it are left alone.
 */
public final class NetworkTimeout {
  private static final Executor SAME_THREAD = Runnable::run;

  private final @Nullable Connection connection;
  private final int before;

  private NetworkTimeout(@Nullable Connection connection, int before) {
    this.connection = connection;
    this.before = before;
  }

  /** Limits the connection; null for no limit. */
  public static NetworkTimeout limit(Connection connection, @Nullable Duration timeout)
      throws SQLException {
    if (timeout == null) {
      return new NetworkTimeout(null, 0);
    }
    try {
      int millis = (int) Math.min(Integer.MAX_VALUE, Math.max(1, timeout.toMillis()));
      int before = connection.getNetworkTimeout();
      if (before > 0 && before <= millis) {
        return new NetworkTimeout(null, 0);
      }
      connection.setNetworkTimeout(SAME_THREAD, millis);
      return new NetworkTimeout(connection, before);
    } catch (SQLFeatureNotSupportedException e) {
      return new NetworkTimeout(null, 0);
    }
  }

  /** Runs statements under a limit, null for none, and puts it back, also after a failure. */
  public static <T> T run(
      Connection connection, @Nullable Duration timeout, AutocommitRunner.Statements<T> statements)
      throws SQLException {
    NetworkTimeout limit = limit(connection, timeout);
    T answer;
    try {
      answer = statements.run(connection);
    } catch (SQLException | RuntimeException | Error e) {
      try {
        limit.restore();
      } catch (SQLException lost) {
        e.addSuppressed(lost);
      }
      throw e;
    }
    limit.restore();
    return answer;
  }

  /** Restores the previous limit, unless the connection has been closed in the meantime. */
  public void restore() throws SQLException {
    // a pool would log an error about a connection that it has closed itself
    if (connection != null && !connection.isClosed()) {
      connection.setNetworkTimeout(SAME_THREAD, before);
    }
  }
}
