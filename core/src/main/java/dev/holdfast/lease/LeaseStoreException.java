package dev.holdfast.lease;

import dev.holdfast.HoldfastException;
import org.jspecify.annotations.Nullable;

/** A lease store did not respond, or responded with an error: the outcome is unknown. */
public final class LeaseStoreException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private final boolean retryable;

  /**
   * @param doing completes the sentence "… failed: ", such as {@code acquiring the lease 'a'}
   * @param retryable whether a retry may succeed
   */
  public LeaseStoreException(
      String doing, String why, boolean retryable, @Nullable Throwable cause) {
    super("lease-store", doing + " failed: " + why, cause);
    this.retryable = retryable;
  }

  @Override
  public boolean retryable() {
    return retryable;
  }
}
