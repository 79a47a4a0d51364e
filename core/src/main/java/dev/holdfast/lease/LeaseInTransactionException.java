package dev.holdfast.lease;

import dev.holdfast.HoldfastException;

/**
 * A lease was acquired or released, or an exclusive job was run, while a transaction was open on
 * the thread.
 */
public final class LeaseInTransactionException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  public LeaseInTransactionException(String message) {
    super("lease-in-transaction", message, null);
  }

  static LeaseInTransactionException acquiring(LeaseKey key) {
    return new LeaseInTransactionException(
        "Cannot acquire the lease "
            + key
            + ": a transaction is open on this thread and may not see what the last holder wrote."
            + " Acquire the lease before the transaction begins. If the lease does not protect this"
            + " transaction, use LeaseRequest.allowInTransaction().");
  }

  static LeaseInTransactionException releasing(LeaseKey key) {
    return new LeaseInTransactionException(
        "Cannot release the lease "
            + key
            + ": a transaction is open on this thread, and the next holder would not see what it"
            + " writes; the lease is kept. End the transaction before the lease. If the lease does"
            + " not protect this transaction, use LeaseRequest.allowInTransaction().");
  }
}
