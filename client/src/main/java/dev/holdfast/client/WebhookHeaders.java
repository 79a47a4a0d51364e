package dev.holdfast.client;

/** The headers of a webhook: their names, and what an id may be. */
public final class WebhookHeaders {
  /** Names the webhook: the same on every attempt, so a receiver can know it again. */
  public static final String ID = "webhook-id";

  /** The time of this attempt, in seconds since 1970. */
  public static final String TIMESTAMP = "webhook-timestamp";

  /** The signatures, separated by spaces. */
  public static final String SIGNATURE = "webhook-signature";

  /** Which attempt this is, the first being 1. */
  public static final String ATTEMPT = "holdfast-attempt";

  /**
   * A number that only grows from one attempt to the next: a receiver that keeps the highest it has
   * seen can refuse a late call of a sender that has lost its right.
   */
  public static final String FENCING = "holdfast-fencing";

  private static final int MAX_ID_LENGTH = 256;

  private WebhookHeaders() {}

  /**
   * Whether this may be a {@code webhook-id}: 1 to 256 visible ASCII characters, none of them a
   * full stop, because that ends the id in what is signed.
   */
  public static boolean isId(String id) {
    return !id.isEmpty()
        && id.length() <= MAX_ID_LENGTH
        && id.chars().allMatch(c -> c > ' ' && c < 0x7f && c != '.');
  }
}
