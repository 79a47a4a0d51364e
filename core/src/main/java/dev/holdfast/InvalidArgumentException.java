package dev.holdfast;

/**
 * An argument or a setting is not allowed. Nothing was sent to the database. A correct program does
 * not see this exception.
 */
public final class InvalidArgumentException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  /** The code of every {@code InvalidArgumentException}. */
  private static final String CODE = "invalid-argument";

  public InvalidArgumentException(String message) {
    super(message);
  }

  public InvalidArgumentException(String message, Throwable cause) {
    super(message, cause);
  }

  /** The stable code of this kind of failure: {@code invalid-argument}. */
  public String code() {
    return CODE;
  }
}
