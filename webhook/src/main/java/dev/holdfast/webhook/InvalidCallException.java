package dev.holdfast.webhook;

/**
 * A webhook call, or a setting of its delivery, that is not allowed; nothing was sent.
 *
 * <p>The message says what must hold and what it was, and never shows the value of a header.
 */
public final class InvalidCallException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  InvalidCallException(String message) {
    super(message);
  }

  /** The stable name of this kind of error. */
  public String code() {
    return "invalid-webhook-call";
  }
}
