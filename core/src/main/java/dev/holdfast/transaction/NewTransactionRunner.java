package dev.holdfast.transaction;

import dev.holdfast.HoldfastException;
import dev.holdfast.internal.sql.CommitStatement;
import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.internal.sql.NetworkTimeout;
import dev.holdfast.internal.sql.SessionSettings;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.Executor;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One transaction on a connection of its own:
 *
 * <ol>
 *   <li>take a connection, turn autocommit off, set isolation and time limits;
 *   <li>run the work;
 *   <li>commit, or roll back where the work threw or a guard inside it failed;
 *   <li>put the connection back as it was and give it back; where that fails, throw it away,
 *       because the work is already done or undone and its answer must not change.
 * </ol>
 */
final class NewTransactionRunner {
  private static final Logger LOG = LoggerFactory.getLogger(Transactions.class);
  private static final Executor AT_ONCE = Runnable::run;

  private final DataSource dataSource;
  private final TransactionSettings settings;
  private final ConflictListener listener;

  NewTransactionRunner(
      DataSource dataSource, TransactionSettings settings, ConflictListener listener) {
    this.dataSource = dataSource;
    this.settings = settings;
    this.listener = listener;
  }

  <T extends @Nullable Object, X extends Exception> T call(
      TransactionCallback<T, X> work, int attempt) throws X {
    Session session = open(attempt);
    T answer;
    OpenTransactions.begin(new OpenTransactions.Entry(dataSource, session.tx, true, null));
    try {
      answer = work.in(session.tx);
      commit(session.tx);
    } catch (Throwable failure) {
      OpenTransactions.end();
      session.tx.ended();
      rollBack(session, failure);
      throw failure;
    }
    OpenTransactions.end();
    session.tx.ended();
    giveBack(session);
    return answer;
  }

  private record Session(
      Transaction tx,
      boolean autoCommitBefore,
      SessionSettings.Restore restore,
      NetworkTimeout network) {}

  private Session open(int attempt) {
    Connection connection;
    try {
      connection = dataSource.getConnection();
    } catch (SQLException e) {
      throw new DatabaseException("taking a connection", e);
    }
    try {
      NetworkTimeout network = NetworkTimeout.limit(connection, settings.networkTimeout());
      Dialect dialect = Dialect.of(connection);
      SessionSettings session = dialect.settings();
      SessionSettings.Restore restore = session.beforeOwn(connection, settings);
      boolean autoCommit = connection.getAutoCommit();
      if (autoCommit) {
        connection.setAutoCommit(false);
      }
      session.insideOwn(connection, settings);
      return new Session(
          new Transaction(connection, dialect, settings, attempt, listener).opened(),
          autoCommit,
          restore,
          network);
    } catch (SQLException e) {
      DatabaseException failure = new DatabaseException("beginning a transaction", e);
      throwAway(connection, failure);
      throw failure;
    } catch (RuntimeException | Error e) {
      throwAway(connection, e);
      throw e;
    }
  }

  private static void commit(Transaction tx) {
    Throwable reason = tx.rollbackReason();
    if (reason != null) {
      throw new TransactionRolledBackException(reason);
    }
    try {
      if (tx.connection().getAutoCommit()) {
        throw TransactionStateException.committedByAutocommit();
      }
      CommitStatement last = tx.last();
      if (last == null) {
        tx.dialect().settings().commit(tx.connection());
      } else {
        tx.dialect().settings().commit(tx.connection(), last);
      }
    } catch (SQLException e) {
      if (SqlError.rulesOutCommit(e)) {
        throw new DatabaseException("committing", e);
      }
      throw new CommitUnknownException(e);
    } catch (HoldfastException e) {
      throw e;
    } catch (RuntimeException e) {
      // of a driver or a pool: whatever it means, nobody can tell what became of the commit
      throw new CommitUnknownException(e);
    }
  }

  private static void rollBack(Session session, Throwable failure) {
    try {
      session.tx.connection().rollback();
    } catch (Throwable e) {
      suppress(failure, e);
      // still in its transaction: turning autocommit on again would commit it
      throwAway(session.tx.connection(), failure);
      return;
    }
    giveBack(session);
  }

  private static void giveBack(Session session) {
    Connection connection = session.tx.connection();
    try {
      session.restore.run();
      if (session.autoCommitBefore) {
        connection.setAutoCommit(true);
      }
      session.network.restore();
    } catch (SQLException | RuntimeException e) {
      LOG.debug("could not reset a connection after its transaction; discarding it", e);
      throwAway(connection, e);
      return;
    }
    try {
      connection.close();
    } catch (SQLException | RuntimeException e) {
      LOG.debug("could not close a connection after its transaction", e);
    }
  }

  private static void throwAway(Connection connection, Throwable reason) {
    try {
      connection.abort(AT_ONCE);
    } catch (SQLException | RuntimeException e) {
      suppress(reason, e);
    }
    try {
      connection.close();
    } catch (SQLException | RuntimeException e) {
      suppress(reason, e);
    }
  }

  /** Adds a later error to the first one, which is the one that matters. */
  static void suppress(Throwable first, Throwable later) {
    if (first != later) {
      first.addSuppressed(later);
    }
  }
}
