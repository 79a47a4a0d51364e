package dev.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * A store outside of the database, such as Redis, did not respond or responded with an error.
 * Unless the message says that nothing was done, the outcome is unknown.
 *
 * <p>A failure of the database is a {@link dev.holdfast.transaction.DatabaseException} instead.
 */
public final class StoreException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private final boolean retryable;

  /**
   * @param code {@code lease-store}, {@code idempotency-store} or {@code cache-store}
   * @param action completes the sentence "… failed: ", such as {@code acquiring the lease 'a'}
   * @param retryable whether a retry may succeed
   */
  public StoreException(
      String code, String action, String why, boolean retryable, @Nullable Throwable cause) {
    super(code, action + " failed: " + why, cause);
    this.retryable = retryable;
  }

  @Override
  public boolean isRetryable() {
    return retryable;
  }
}
