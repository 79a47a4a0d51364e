package dev.holdfast.guard;

import dev.holdfast.HoldfastException;

/** A guard for one row whose key names several; the transaction must be rolled back. */
public final class AmbiguousRowException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  AmbiguousRowException(String target, int rows) {
    super(
        "ambiguous-row",
        "a guard must name one row, "
            + target
            + " names at least "
            + rows
            + "; use the columns of a primary key or unique constraint, and roll back",
        null);
  }
}
