package dev.holdfast.client;

import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Signs webhooks as specified by Standard Webhooks 1.0: HMAC-SHA256 over the id, the time and the
 * raw body.
 *
 * <p>To replace a secret, sign with both: {@code WebhookSigner.of(newSecret, oldSecret)} writes two
 * signatures, and receivers accept either. Immutable and thread-safe; {@code toString} shows no
 * secret.
 */
public final class WebhookSigner {
  private final List<WebhookSecret> secrets;

  private WebhookSigner(List<WebhookSecret> secrets) {
    this.secrets = secrets;
  }

  /**
   * Signs with these secrets, one signature each, in this order.
   *
   * @throws IllegalArgumentException if there is no secret
   */
  public static WebhookSigner of(WebhookSecret... secrets) {
    if (secrets.length == 0) {
      throw new IllegalArgumentException("at least one secret is required");
    }
    return new WebhookSigner(List.of(secrets));
  }

  /**
   * The value of the header {@code webhook-signature}.
   *
   * @param id the value of {@code webhook-id}: 1 to 256 visible ASCII characters without a full
   *     stop
   * @param timestamp the time of this attempt, truncated to seconds
   * @param body the bytes that are sent
   * @throws IllegalArgumentException if the id is invalid, or the time is before 1970
   */
  public String sign(String id, Instant timestamp, byte[] body) {
    if (!WebhookHeaders.isValidId(id)) {
      throw new IllegalArgumentException(
          "a webhook id must be 1 to 256 visible ASCII characters without a full stop, was '"
              + id
              + "'");
    }
    if (timestamp.getEpochSecond() < 0) {
      throw new IllegalArgumentException("timestamp must not be before 1970, was " + timestamp);
    }
    SignedContent content = new SignedContent(id, timestamp(timestamp), body);
    return secrets.stream().map(content::signature).collect(Collectors.joining(" "));
  }

  /** The value of the header {@code webhook-timestamp}: seconds since 1970. */
  public static String timestamp(Instant time) {
    return Long.toString(time.getEpochSecond());
  }

  @Override
  public String toString() {
    return "WebhookSigner[" + secrets.size() + (secrets.size() == 1 ? " secret]" : " secrets]");
  }
}
