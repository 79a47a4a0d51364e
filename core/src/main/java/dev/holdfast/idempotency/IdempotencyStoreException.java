package dev.holdfast.idempotency;

import dev.holdfast.HoldfastException;
import org.jspecify.annotations.Nullable;

/**
 * A store of idempotency records did not respond, or responded with an error. The outcome is
 * unknown.
 */
public final class IdempotencyStoreException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private final boolean retryable;

  /**
   * @param doing completes the sentence "… failed: ", such as {@code claiming the key 'a'}
   * @param retryable whether a retry may succeed
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
