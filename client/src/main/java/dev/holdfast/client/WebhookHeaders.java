package dev.holdfast.client;

/** Names of the headers of a webhook. */
public final class WebhookHeaders {
  /**
   * Identifies the webhook. It is the same on every attempt, so a receiver can detect duplicates.
   */
  public static final String ID = "webhook-id";

  /** The time of this attempt, in seconds since 1970. */
  public static final String TIMESTAMP = "webhook-timestamp";

  /** The signatures, separated by spaces. */
  public static final String SIGNATURE = "webhook-signature";

  /** Number of this attempt, from 1. */
  public static final String ATTEMPT = "holdfast-attempt";

  /**
   * Fencing token: grows with every attempt. A receiver that stores the highest value can reject a
   * late call of an instance that no longer owns the event.
   */
  public static final String FENCING_TOKEN = "holdfast-fencing-token";

  private static final int MAX_ID_LENGTH = 256;

  private WebhookHeaders() {}

  /**
   * Whether this is a valid {@code webhook-id}: 1 to 256 visible ASCII characters except the full
   * stop, which ends the id in the signed content.
   */
  public static boolean isValidId(String id) {
    return !id.isEmpty()
        && id.length() <= MAX_ID_LENGTH
        && id.chars().allMatch(c -> c > ' ' && c < 0x7f && c != '.');
  }
}
