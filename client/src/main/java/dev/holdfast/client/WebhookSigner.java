package dev.holdfast.client;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Signs webhooks by Standard Webhooks 1.0: HMAC-SHA256 over the id, the time and the raw body.
 *
 * <p>While a secret is being replaced, sign with both: {@code WebhookSigner.of(fresh).and(old)}
 * gives two signatures, and receivers accept it whichever of the two they know. Immutable and
 * thread-safe; {@code toString} shows no secret.
 */
public final class WebhookSigner {
  private final List<WebhookSecret> secrets;

  private WebhookSigner(List<WebhookSecret> secrets) {
    this.secrets = secrets;
  }

  public static WebhookSigner of(WebhookSecret secret) {
    return new WebhookSigner(List.of(secret));
  }

  /** Signs with another secret as well, after those before it. */
  public WebhookSigner and(WebhookSecret other) {
    Objects.requireNonNull(other, "other");
    return new WebhookSigner(Stream.concat(secrets.stream(), Stream.of(other)).toList());
  }

  /**
   * The value of the header {@code webhook-signature}.
   *
   * @param id the value of {@code webhook-id}: 1 to 256 visible ASCII characters without a full
   *     stop
   * @param timestamp the time of this attempt, of which whole seconds count
   * @param body the very bytes that are sent
   * @throws IllegalArgumentException if the id is another, or the time before 1970
   */
  public String sign(String id, Instant timestamp, byte[] body) {
    if (!WebhookHeaders.isId(id)) {
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
