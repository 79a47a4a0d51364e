package dev.holdfast.cache;

import dev.holdfast.HoldfastException;
import org.jspecify.annotations.Nullable;

/** A value that could not be loaded, with the loader's error as the cause. */
public final class CacheLoadException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private final boolean elsewhere;

  CacheLoadException(String name, Throwable cause) {
    super("cache-load", "loading " + name + " failed: " + cause, cause);
    this.elsewhere = false;
  }

  private CacheLoadException(String message) {
    super("cache-load", message, null);
    this.elsewhere = true;
  }

  /** An error of the recent past that is shared, see {@code errorsFor}. */
  static CacheLoadException shared(String name, @Nullable String what) {
    return new CacheLoadException(
        "loading " + name + " failed a short time ago, and is not tried yet again: " + what);
  }

  /** Whether it is the error of an earlier load, perhaps in another process; then without cause. */
  public boolean isShared() {
    return elsewhere;
  }

  @Override
  public boolean isRetryable() {
    return true;
  }
}
