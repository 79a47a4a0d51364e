package dev.holdfast.transaction;

import dev.holdfast.HoldfastException;
import dev.holdfast.internal.sql.PoolerHint;

/**
 * A commit whose answer was lost: it may have happened or not.
 *
 * <p>Never retried by Holdfast, because the work could take effect twice. Find out by reading,
 * through something that the transaction has written and that only it can have written.
 */
public final class CommitUnknownException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  CommitUnknownException(Exception cause) {
    super(
        "commit-unknown",
        "the commit may have happened or not, because its answer was lost; find out by reading before"
            + " doing the work again: "
            + PoolerHint.of(cause)
            + cause.getMessage(),
        cause);
  }
}
