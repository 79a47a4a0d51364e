package dev.holdfast.internal.sql;

import dev.holdfast.transaction.SqlError;

/** What to do about a row that somebody else has locked. */
public enum LockWait {
  /** Wait until it is free, or until the lock timeout of the transaction. */
  WAIT,
  /** Fail at once with {@link SqlError#LOCK_TIMEOUT}. */
  NOWAIT,
  /** Leave the row out. */
  SKIP_LOCKED;

  String suffix() {
    return switch (this) {
      case WAIT -> "";
      case NOWAIT -> " NOWAIT";
      case SKIP_LOCKED -> " SKIP LOCKED";
    };
  }
}
