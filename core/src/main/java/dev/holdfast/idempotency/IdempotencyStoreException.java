package dev.holdfast.idempotency;

import dev.holdfast.HoldfastException;
import org.jspecify.annotations.Nullable;

/** A store of idempotency records that did not answer, or with an error: the outcome is unknown. */
public final class IdempotencyStoreException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private final boolean retryable;

  /**
   * @param doing completes the sentence "… failed: ", such as {@code claiming the key 'a'}
   * @param retryable whether the same may work later
   */
  public IdempotencyStoreException(
      String doing, String why, boolean retryable, @Nullable Throwable cause) {
    super("idempotency-store", doing + " failed: " + why, cause);
    this.retryable = retryable;
  }

  @Override
  public boolean retryable() {
    return retryable;
  }
}
