package dev.holdfast.transaction;

import dev.holdfast.HoldfastException;
import org.jspecify.annotations.Nullable;

/**
 * A transaction whose work ended normally, but that cannot be committed, because an error inside it
 * was swallowed. The cause is that error. One of {@link Transactions} is rolled back; a joined one
 * is its owner's to roll back.
 */
public final class TransactionRolledBackException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  TransactionRolledBackException(Throwable reason) {
    super(
        "rolled-back",
        "the transaction can only be rolled back, because an error inside it was swallowed; let it"
            + " pass, or do the work in a transaction of its own: "
            + reason.getMessage(),
        reason);
  }

  @Override
  public boolean retryable() {
    @Nullable Throwable cause = getCause();
    return SqlErrors.retryable(cause);
  }
}
