package dev.holdfast.transaction;

import dev.holdfast.internal.sql.SessionSettings;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** A part of somebody else's transaction, with time limits of its own. */
final class JoinedTransactionRunner {
  private final OpenTransactions.Entry entry;
  private final Transaction tx;
  private final TransactionSettings settings;

  JoinedTransactionRunner(OpenTransactions.Entry entry, TransactionSettings settings) {
    this.entry = entry;
    this.tx = entry.tx();
    this.settings = settings;
  }

  <T extends @Nullable Object, X extends Exception> T call(TransactionCallback<T, X> work)
      throws X {
    if (!settings.hasTimeouts()) {
      return run(work);
    }
    SessionSettings.Restore restore;
    try {
      restore = tx.dialect().settings().joined(tx.connection(), settings);
    } catch (SQLException e) {
      throw new DatabaseException("setting the time limits of a transaction", e);
    }
    T answer;
    try {
      answer = run(work);
    } catch (Throwable failure) {
      try {
        restore.run();
      } catch (SQLException | RuntimeException e) {
        // PostgreSQL refuses everything in a failed transaction, and forgets the limits with it
        NewTransactionRunner.suppress(failure, e);
      }
      throw failure;
    }
    try {
      restore.run();
    } catch (SQLException e) {
      throw new DatabaseException("restoring the time limits of a transaction", e);
    }
    return answer;
  }

  private <T extends @Nullable Object, X extends Exception> T run(TransactionCallback<T, X> work)
      throws X {
    OpenTransactions.begin(entry);
    try {
      return work.in(tx);
    } finally {
      OpenTransactions.end();
    }
  }
}
