package dev.holdfast.sql;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** A part of somebody else's transaction, with time limits of its own. */
final class JoinedTransaction {
  private final OpenTransactions.Entry entry;
  private final Transaction tx;
  private final TransactionSettings settings;

  JoinedTransaction(OpenTransactions.Entry entry, TransactionSettings settings) {
    this.entry = entry;
    this.tx = entry.tx();
    this.settings = settings;
  }

  <T extends @Nullable Object, X extends Exception> T call(Work<T, X> work) throws X {
    if (!settings.hasTimeouts()) {
      return run(work);
    }
    SessionSettings.Restore restore;
    try {
      restore = tx.dialect().settings().joined(tx.connection(), settings);
    } catch (SQLException e) {
      throw new SqlFailedException("setting the time limits of a transaction", e);
    }
    T answer;
    try {
      answer = run(work);
    } catch (Throwable failure) {
      try {
        restore.run();
      } catch (SQLException | RuntimeException e) {
        // PostgreSQL refuses everything in a failed transaction, and forgets the limits with it
        OwnTransaction.suppress(failure, e);
      }
      throw failure;
    }
    try {
      restore.run();
    } catch (SQLException e) {
      throw new SqlFailedException("restoring the time limits of a transaction", e);
    }
    return answer;
  }

  private <T extends @Nullable Object, X extends Exception> T run(Work<T, X> work) throws X {
    OpenTransactions.begin(entry);
    try {
      return work.in(tx);
    } finally {
      OpenTransactions.end();
    }
  }
}
