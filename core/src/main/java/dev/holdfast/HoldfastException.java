package dev.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * The base class of the failures that a correct program must expect.
 *
 * <p>The {@link #code()} is stable: it is the same in the documentation, in logs and over HTTP.
 * {@link #isRetryable()} says whether the same work may succeed in a new transaction. Wrong
 * arguments are an {@link InvalidArgumentException}, which is not of this type.
 */
public abstract class HoldfastException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String code;

  protected HoldfastException(String code, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.code = code;
  }

  /** The stable code of this kind of failure, such as {@code optimistic-lock}. */
  public final String code() {
    return code;
  }

  /** Whether the same work may succeed in a new transaction. */
  public boolean isRetryable() {
    return false;
  }
}
