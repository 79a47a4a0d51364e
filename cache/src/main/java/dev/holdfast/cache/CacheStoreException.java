package dev.holdfast.cache;

import dev.holdfast.HoldfastException;
import org.jspecify.annotations.Nullable;

/** A store of cached values that did not answer, or answered with an error. */
public final class CacheStoreException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private final boolean retryable;

  /**
   * @param doing completes the sentence "… failed: ", such as {@code invalidating 'prices:42'}
   * @param retryable whether the same may work later
   */
  public CacheStoreException(
      String doing, String why, boolean retryable, @Nullable Throwable cause) {
    super("cache-store", doing + " failed: " + why, cause);
    this.retryable = retryable;
  }

  @Override
  public boolean retryable() {
    return retryable;
  }
}
