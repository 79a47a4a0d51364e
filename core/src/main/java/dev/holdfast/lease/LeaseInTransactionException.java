package dev.holdfast.lease;

import dev.holdfast.HoldfastException;

/**
 * A lease that was acquired or released, or an exclusive job that was run, inside an open
 * transaction: the wrong way round.
 */
public final class LeaseInTransactionException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private LeaseInTransactionException(String message) {
    super("lease-in-transaction", message, null);
  }

  static LeaseInTransactionException acquiring(LeaseTarget target) {
    return new LeaseInTransactionException(
        "the lease "
            + target
            + " must be acquired before the transaction begins, but one is open on this thread: it"
            + " may not see what the last holder wrote; acquire first, then open the transaction,"
            + " or say insideTransactions() where the two have nothing to do with each other");
  }

  static LeaseInTransactionException running(LeaseKey job) {
    return new LeaseInTransactionException(
        "the job "
            + job
            + " must be run before the transaction begins, but one is open on this thread: it may"
            + " not see what the last run wrote, and the next may not see what it writes; call run"
            + " outside of the transaction, and open one in the action");
  }

  static LeaseInTransactionException releasing(LeaseKey key) {
    return new LeaseInTransactionException(
        "the lease "
            + key
            + " must be released after the transaction has ended, but one is open on this thread:"
            + " the next holder would not see what it writes; the lease is kept. Let the"
            + " transaction end inside the lease, or say insideTransactions() where the two have"
            + " nothing to do with each other");
  }
}
