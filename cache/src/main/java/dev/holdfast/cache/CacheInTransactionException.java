package dev.holdfast.cache;

import dev.holdfast.HoldfastException;

/** An invalidation inside a transaction, which others could undo before it commits. */
public final class CacheInTransactionException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  CacheInTransactionException(String name) {
    super(
        "cache-in-transaction",
        "invalidate "
            + name
            + " after the transaction has ended, not inside it: until it commits, others read"
            + " the old rows, and would cache them anew",
        null);
  }
}
