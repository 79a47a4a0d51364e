package dev.holdfast.transaction;

import dev.holdfast.HoldfastException;

/**
 * The work ended normally, but its transaction cannot be committed, because an error in it was
 * swallowed. The cause is that error. Holdfast rolls back its own transaction; the owner of a
 * joined transaction must roll it back.
 */
public final class TransactionRolledBackException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  TransactionRolledBackException(Throwable reason) {
    super(
        "transaction-rolled-back",
        "The transaction can only be rolled back, because an error in it was swallowed. Let the"
            + " error propagate, or do that work in a new transaction: "
            + reason.getMessage(),
        reason);
  }

  @Override
  public boolean isRetryable() {
    return SqlError.isRetryable(getCause());
  }
}
