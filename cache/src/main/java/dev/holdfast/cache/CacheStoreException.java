package dev.holdfast.cache;

import dev.holdfast.HoldfastException;
import org.jspecify.annotations.Nullable;

/** A store of cached values that did not answer, or answered with an error. */
public final class CacheStoreException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  /**
   * @param doing completes the sentence "… failed: ", such as {@code invalidating 'prices:42'}
   */
  public CacheStoreException(String doing, String why, @Nullable Throwable cause) {
    super("cache-store", doing + " failed: " + why, cause);
  }

  @Override
  public boolean retryable() {
    return true;
  }
}
