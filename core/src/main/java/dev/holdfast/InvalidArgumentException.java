package dev.holdfast;

/**
 * An argument or a setting that Holdfast refuses; nothing was sent to the database because of it.
 */
public final class InvalidArgumentException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  public InvalidArgumentException(String message) {
    super("invalid-argument", message, null);
  }

  public InvalidArgumentException(String message, Throwable cause) {
    super("invalid-argument", message, cause);
  }
}
