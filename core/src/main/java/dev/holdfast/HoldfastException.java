package dev.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * The root of every error that Holdfast raises.
 *
 * <p>The {@link #code()} is stable: it names the kind of error in the docs, in logs and over HTTP.
 * {@link #retryable()} says whether the same work may succeed in a fresh transaction.
 */
public class HoldfastException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String code;

  protected HoldfastException(String code, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.code = code;
  }

  /** The stable name of this kind of error, such as {@code optimistic-lock}. */
  public final String code() {
    return code;
  }

  /** Whether running the same work again, in a fresh transaction, may succeed. */
  public boolean retryable() {
    return false;
  }
}
