package dev.holdfast.client;

/** The names of the headers of a webhook. */
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

  private WebhookHeaders() {}
}
