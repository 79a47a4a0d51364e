package dev.holdfast.embedded;

import dev.holdfast.HoldfastException;
import org.jspecify.annotations.Nullable;

/** An embedded database that cannot be started or reached, why, and what to do about it. */
public final class EmbeddedException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private EmbeddedException(String code, String message, @Nullable Throwable cause) {
    super(code, message, cause);
  }

  /** Another process that lives has the folder. */
  static EmbeddedException inUse(String message) {
    return new EmbeddedException("embedded-data-in-use", message, null);
  }

  /** The folder is not one that this version has made. */
  static EmbeddedException foreign(String message) {
    return new EmbeddedException("embedded-data-foreign", message, null);
  }

  static EmbeddedException failed(String message, @Nullable Throwable cause) {
    return new EmbeddedException("embedded-failed", message, cause);
  }
}
