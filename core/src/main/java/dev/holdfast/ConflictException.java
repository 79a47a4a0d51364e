package dev.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * Another transaction has changed the same thing, or has locked it for too long. Roll back; the
 * same work may succeed in a new transaction.
 */
public class ConflictException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private final String subject;

  /**
   * @param subject names the thing, such as {@code schedule 'nightly'}
   */
  public ConflictException(String code, String subject, String message, @Nullable Throwable cause) {
    super(code, message, cause);
    this.subject = subject;
  }

  /** The thing that both transactions use, such as {@code schedule 'nightly'}. */
  public String subject() {
    return subject;
  }

  @Override
  public boolean isRetryable() {
    return true;
  }
}
