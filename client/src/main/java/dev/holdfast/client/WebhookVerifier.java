package dev.holdfast.client;

import dev.holdfast.client.InvalidWebhookException.Reason;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Verifies that a request is a genuine and fresh webhook, as specified by Standard Webhooks 1.0.
 *
 * <pre>{@code
 * WebhookVerifier verifier = WebhookVerifier.of(WebhookSecret.of(System.getenv("WEBHOOK_SECRET")));
 * VerifiedWebhook webhook = verifier.verify(exchange.getRequestHeaders(), rawBody);
 * }</pre>
 *
 * <p>A rejected request throws a checked exception: an unchecked boolean could be forgotten, and
 * every forgery would pass.
 *
 * <p><b>Guarantees:</b> without one of the secrets, no request passes. Every signature in the
 * header is compared with every secret, in constant time; signature versions other than {@code v1}
 * are ignored. No content of a request causes an exception other than the declared one.
 *
 * <p><b>Does not guarantee</b> that the webhook is new. Attempts repeat, and within the tolerance
 * an eavesdropper can repeat a request: store {@link VerifiedWebhook#id()}.
 *
 * <p><b>Defaults:</b> a tolerance of 5 minutes, in the past and in the future, by the system clock.
 * Immutable and thread-safe.
 */
public final class WebhookVerifier {
  private static final Duration DEFAULT_TOLERANCE = Duration.ofMinutes(5);
  private static final int MAX_DIGITS = 12;

  private final List<WebhookSecret> secrets;
  private final Duration tolerance;
  private final Clock clock;

  private WebhookVerifier(List<WebhookSecret> secrets, Duration tolerance, Clock clock) {
    this.secrets = secrets;
    this.tolerance = tolerance;
    this.clock = clock;
  }

  /**
   * Accepts webhooks that are signed with any of these secrets.
   *
   * @throws IllegalArgumentException if there is no secret
   */
  public static WebhookVerifier of(WebhookSecret... secrets) {
    if (secrets.length == 0) {
      throw new IllegalArgumentException("at least one secret is required");
    }
    return new WebhookVerifier(List.of(secrets), DEFAULT_TOLERANCE, Clock.systemUTC());
  }

  /**
   * Maximum distance between the time of a webhook and now, in the past and in the future.
   *
   * @throws IllegalArgumentException if it is not from 1 s to 1 day
   */
  public WebhookVerifier tolerance(Duration tolerance) {
    if (tolerance.compareTo(Duration.ofSeconds(1)) < 0
        || tolerance.compareTo(Duration.ofDays(1)) > 0) {
      throw new IllegalArgumentException("tolerance must be from 1 s to 1 day, was " + tolerance);
    }
    return new WebhookVerifier(secrets, tolerance, clock);
  }

  public WebhookVerifier clock(Clock clock) {
    return new WebhookVerifier(secrets, tolerance, Objects.requireNonNull(clock, "clock"));
  }

  /**
   * Verifies a request by all of its headers, with names in any case.
   *
   * @param headers as the server provides them; other headers are ignored
   * @param body the raw bytes, before any parsing
   * @throws InvalidWebhookException if it is not a genuine and fresh webhook
   */
  public VerifiedWebhook verify(Map<String, List<String>> headers, byte[] body)
      throws InvalidWebhookException {
    return verify(
        only(headers, WebhookHeaders.ID),
        only(headers, WebhookHeaders.TIMESTAMP),
        // a proxy may split the list into several headers
        String.join(" ", values(headers, WebhookHeaders.SIGNATURE)),
        body);
  }

  /**
   * Verifies a request by the values of its three headers; {@code null} if a header is missing.
   *
   * @param body the raw bytes, before any parsing
   * @throws InvalidWebhookException if it is not a genuine and fresh webhook
   */
  public VerifiedWebhook verify(
      @Nullable String id, @Nullable String timestamp, @Nullable String signature, byte[] body)
      throws InvalidWebhookException {
    Objects.requireNonNull(body, "body");
    String givenId = present(id, WebhookHeaders.ID);
    String givenTime = present(timestamp, WebhookHeaders.TIMESTAMP);
    String signatures = present(signature, WebhookHeaders.SIGNATURE);
    if (!WebhookHeaders.isValidId(givenId)) {
      throw new InvalidWebhookException(
          Reason.MALFORMED_HEADER,
          "webhook-id must be 1 to 256 visible ASCII characters without a full stop");
    }
    Instant time = Instant.ofEpochSecond(seconds(givenTime));
    if (!isSigned(new SignedContent(givenId, givenTime, body), signatures)) {
      throw new InvalidWebhookException(
          Reason.INVALID_SIGNATURE,
          "none of the signatures of webhook '"
              + givenId
              + "' matches the body and a known secret");
    }
    // after the signature, so that EXPIRED implies the right sender
    Instant now = clock.instant();
    if (time.isBefore(now.minus(tolerance))) {
      throw new InvalidWebhookException(Reason.EXPIRED, text(givenId, time, now));
    }
    if (time.isAfter(now.plus(tolerance))) {
      throw new InvalidWebhookException(Reason.IN_FUTURE, text(givenId, time, now));
    }
    return new VerifiedWebhook(givenId, time);
  }

  private boolean isSigned(SignedContent content, String signatures) {
    List<byte[]> expected =
        secrets.stream()
            .map(secret -> content.signature(secret).getBytes(StandardCharsets.UTF_8))
            .toList();
    boolean found = false;
    for (String given : signatures.split(" ", -1)) {
      if (given.startsWith(SignedContent.VERSION)) {
        byte[] bytes = given.getBytes(StandardCharsets.UTF_8);
        for (byte[] right : expected) {
          // no early exit: the duration must not reveal which one matches
          found |= MessageDigest.isEqual(right, bytes);
        }
      }
    }
    return found;
  }

  private String text(String id, Instant time, Instant now) {
    return "webhook '%s' was sent at %s, must be within %s of now (%s)"
        .formatted(id, time, tolerance, now);
  }

  private static long seconds(String text) throws InvalidWebhookException {
    if (text.length() > MAX_DIGITS || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
      throw new InvalidWebhookException(
          Reason.MALFORMED_HEADER, "webhook-timestamp must be whole seconds since 1970, in digits");
    }
    return Long.parseLong(text);
  }

  private static String present(@Nullable String value, String name)
      throws InvalidWebhookException {
    if (value == null || value.isEmpty()) {
      throw new InvalidWebhookException(
          Reason.MISSING_HEADER, "the header " + name + " is missing");
    }
    return value;
  }

  private static @Nullable String only(Map<String, List<String>> headers, String name)
      throws InvalidWebhookException {
    List<String> values = values(headers, name);
    if (values.size() > 1) {
      throw new InvalidWebhookException(
          Reason.MALFORMED_HEADER,
          "the header " + name + " must occur once, occurred " + values.size() + " times");
    }
    return values.isEmpty() ? null : values.get(0);
  }

  /** All values of this name, in any case; servers may have null keys and values. */
  private static List<String> values(Map<String, List<String>> headers, String name) {
    List<String> found = new ArrayList<>();
    headers.forEach(
        (key, values) -> {
          if (key != null && values != null && key.toLowerCase(Locale.ROOT).equals(name)) {
            values.stream().filter(Objects::nonNull).forEach(found::add);
          }
        });
    return found;
  }
}
