package dev.holdfast.guard;

import dev.holdfast.internal.Require;
import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.internal.sql.LockWait;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How rows are locked: what to do about those of others, and against what. Immutable. */
record LockMode(
    LockWait ifLocked, @Nullable Duration atMost, boolean forDeletion, boolean keysOnly) {
  static final LockMode DEFAULT = new LockMode(LockWait.WAIT, null, false, false);

  /** For who wants the locks and not the rows. */
  static final LockMode KEYS_ONLY = new LockMode(LockWait.WAIT, null, false, true);

  LockMode ifLocked(LockWait chosen, @Nullable Duration chosenLimit) {
    Require.that(
        ifLocked == LockWait.WAIT && atMost == null,
        "nowait(), skipLocked() and waitAtMost(…) exclude each other; at most one must be called");
    return new LockMode(chosen, chosenLimit, forDeletion, keysOnly);
  }

  LockMode deletion() {
    return new LockMode(ifLocked, atMost, true, keysOnly);
  }

  /** Whoever never waits cannot be part of a deadlock, in whatever order. */
  boolean waits() {
    return ifLocked == LockWait.WAIT;
  }

  String suffix(Dialect dialect) {
    return forDeletion ? dialect.lockForDeletion(ifLocked) : dialect.lockForUpdate(ifLocked);
  }

  /** Whether these locks keep out others that the usual ones let in. */
  boolean isStronger(Dialect dialect) {
    return forDeletion && !suffix(dialect).equals(dialect.lockForUpdate(ifLocked));
  }
}
