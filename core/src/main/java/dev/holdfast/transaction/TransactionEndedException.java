package dev.holdfast.transaction;

import dev.holdfast.HoldfastException;

/**
 * A transaction of {@link Transactions} that its work has ended by itself, by turning autocommit on
 * on its connection. What it did until then is committed, what it did after that was committed
 * statement by statement; never retried.
 */
public final class TransactionEndedException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  TransactionEndedException() {
    super(
        "transaction-ended",
        "the transaction must be ended by Holdfast alone, but the work has turned autocommit on, and"
            + " so committed what it had done, and each statement after that by itself; leave"
            + " commit(), rollback() and setAutoCommit(…) of tx.connection() alone",
        null);
  }
}
