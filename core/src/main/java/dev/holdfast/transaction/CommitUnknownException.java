package dev.holdfast.transaction;

import dev.holdfast.internal.sql.PoolerHint;

/**
 * The response to a commit was lost: the transaction may be committed or rolled back.
 *
 * <p>Holdfast never retries it, because the work could take effect twice. Find out by reading
 * something that only this transaction can have written. Its {@link #error()} is {@link
 * SqlError#UNKNOWN}, whatever the cause was.
 */
public final class CommitUnknownException extends DatabaseException {
  private static final long serialVersionUID = 1L;

  CommitUnknownException(Exception cause) {
    super(
        "commit-unknown",
        SqlError.UNKNOWN,
        "The response to a commit was lost, so the transaction may be committed or rolled back."
            + " Find out by reading before you do the work again: "
            + PoolerHint.of(cause)
            + cause.getMessage(),
        cause);
  }
}
