package dev.holdfast.client;

/**
 * A request that is not a genuine and fresh webhook. Respond with 400 or 401 and do nothing else.
 *
 * <p>The message is for the receiver's own log. It contains neither secrets nor signatures.
 */
public final class InvalidWebhookException extends Exception {
  private static final long serialVersionUID = 1L;

  private final Reason reason;

  InvalidWebhookException(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }

  /** The stable code of this error, such as {@code webhook-invalid-signature}. */
  public String code() {
    return reason.code;
  }

  /** Why a request was rejected. */
  public enum Reason {
    /** One of the three headers is missing. */
    MISSING_HEADER("webhook-missing-header"),
    /** A header is malformed. */
    MALFORMED_HEADER("webhook-malformed-header"),
    /** No signature matches: forged, changed on the way, or signed with an unknown secret. */
    INVALID_SIGNATURE("webhook-invalid-signature"),
    /** Genuine, but sent too long ago: a replay, or a wrong clock. */
    EXPIRED("webhook-expired"),
    /** Genuine, but sent in the future: a wrong clock. */
    IN_FUTURE("webhook-in-future");

    private final String code;

    Reason(String code) {
      this.code = code;
    }
  }
}
