package dev.holdfast.schema;

import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.internal.sql.SessionSettings;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.SqlError;
import dev.holdfast.transaction.TransactionSettings;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection in autocommit mode that waits only so long for locks, for DDL that commits anyway.
 * Closing it puts it back as it was. For one thread.
 */
final class DdlConnection implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Migrations.class);

  private final Connection connection;
  private final boolean autoCommitBefore;
  private final SessionSettings.Restore restore;

  private DdlConnection(
      Connection connection, boolean autoCommitBefore, SessionSettings.Restore restore) {
    this.connection = connection;
    this.autoCommitBefore = autoCommitBefore;
    this.restore = restore;
  }

  static DdlConnection open(DataSource dataSource, Dialect dialect, Duration lockTimeout) {
    try {
      return prepare(dataSource.getConnection(), dialect, lockTimeout);
    } catch (SQLException e) {
      throw new DatabaseException("taking a connection for DDL", e);
    }
  }

  /**
   * Opens a connection while the caller holds another of the same data source. Asked for on a
   * thread of its own, because a pool that has only one may wait for a second one for ever.
   */
  static DdlConnection openSecond(
      DataSource dataSource, Dialect dialect, Duration lockTimeout, Duration within) {
    CompletableFuture<Connection> second = new CompletableFuture<>();
    Thread asking = new Thread(() -> ask(dataSource, second), "holdfast-migrations");
    asking.setDaemon(true);
    asking.start();
    try {
      return prepare(await(second, within), dialect, lockTimeout);
    } catch (SQLException e) {
      throw new DatabaseException("preparing a connection for DDL", e);
    }
  }

  Connection connection() {
    return connection;
  }

  /**
   * Refuses a connection for which the lock that the caller holds is free: it is the same session,
   * whose lock would end with its first DDL, or it leads to another database.
   */
  void requireLockedOut(String lockStatement) {
    @Nullable SQLException refusal = null;
    try (Statement statement = connection.createStatement()) {
      statement.execute(lockStatement);
    } catch (SQLException e) {
      refusal = e;
    }
    if (SqlError.of(refusal) != SqlError.LOCK_TIMEOUT) {
      throw oneConnection(
          "the two that the data source gave are one session, or lead to different databases",
          refusal);
    }
  }

  @Override
  public void close() {
    try {
      restore.run();
      if (!autoCommitBefore) {
        connection.setAutoCommit(false);
      }
      connection.close();
    } catch (SQLException e) {
      LOG.debug("could not reset a connection after DDL; discarding it", e);
      abort(connection, e);
    }
  }

  private static DdlConnection prepare(Connection connection, Dialect dialect, Duration lockTimeout)
      throws SQLException {
    try {
      boolean autoCommit = connection.getAutoCommit();
      if (!autoCommit) {
        connection.setAutoCommit(true);
      }
      TransactionSettings settings = TransactionSettings.waiting(lockTimeout);
      return new DdlConnection(
          connection, autoCommit, dialect.settings().joined(connection, settings));
    } catch (SQLException | RuntimeException e) {
      abort(connection, e);
      throw e;
    }
  }

  private static void ask(DataSource dataSource, CompletableFuture<Connection> second) {
    try {
      Connection connection = dataSource.getConnection();
      if (!second.complete(connection)) {
        connection.close();
      }
    } catch (SQLException | RuntimeException e) {
      second.completeExceptionally(e);
    }
  }

  private static Connection await(CompletableFuture<Connection> second, Duration within) {
    try {
      return second.get(within.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw oneConnection("the second was refused: " + e.getCause(), e.getCause());
    } catch (TimeoutException e) {
      return orLate(second, oneConnection("the second did not come within " + within, e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return orLate(second, oneConnection("this thread was interrupted while it waited", e));
    }
  }

  /** The connection if it has come in this very moment; otherwise it is closed when it comes. */
  private static Connection orLate(CompletableFuture<Connection> second, SchemaException refusal) {
    if (second.completeExceptionally(refusal) || second.isCompletedExceptionally()) {
      throw refusal;
    }
    return second.join();
  }

  private static SchemaException oneConnection(String was, @Nullable Throwable cause) {
    return new SchemaException(
        SchemaException.Reason.POOL_TOO_SMALL,
        "migrating needs two connections at once, because DDL commits on this database, but "
            + was
            + "; let the pool have 2 connections or more, or give Migrations a data source without"
            + " a pool",
        cause);
  }

  private static void abort(Connection connection, Exception reason) {
    try (connection) {
      connection.abort(Runnable::run);
    } catch (SQLException e) {
      reason.addSuppressed(e);
    }
  }
}
