package dev.holdfast.client;

/**
 * A request that is not a genuine, fresh webhook; answer it with 400 or 401 and do nothing else.
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

  /** The stable name of this kind of error, such as {@code webhook-wrong-signature}. */
  public String code() {
    return reason.code;
  }

  /** Why a request was refused. */
  public enum Reason {
    /** One of the three headers is not there. */
    MISSING_HEADER("webhook-missing-header"),
    /** A header is there, and is not what it must be. */
    MALFORMED_HEADER("webhook-malformed-header"),
    /** No signature in the header fits: forged, changed on the way, or of an unknown secret. */
    WRONG_SIGNATURE("webhook-wrong-signature"),
    /** Genuine, but sent too long ago: a replay, or a clock that is wrong. */
    TOO_OLD("webhook-too-old"),
    /** Genuine, but sent in the future: a clock is wrong. */
    TOO_NEW("webhook-too-new");

    private final String code;

    Reason(String code) {
      this.code = code;
    }
  }
}
