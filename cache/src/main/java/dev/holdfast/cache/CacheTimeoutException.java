package dev.holdfast.cache;

import dev.holdfast.HoldfastException;
import java.time.Duration;

/** A value that was not there in the time that there was for waiting. */
public final class CacheTimeoutException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  CacheTimeoutException(String name, Duration waited, boolean interrupted) {
    super(
        interrupted ? "cache-interrupted" : "cache-timeout",
        name
            + (interrupted
                ? " was not waited for, because the thread was interrupted"
                : " must be loaded within "
                    + waited
                    + ", but its load has not ended; wait longer, try again later, or allow an"
                    + " old value with fallbackFor(…)"),
        null);
  }

  @Override
  public boolean isRetryable() {
    return true;
  }
}
