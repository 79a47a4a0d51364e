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
 * Tells a receiver whether a request is a genuine and fresh webhook, by Standard Webhooks 1.0.
 *
 * <pre>{@code
 * WebhookVerifier verifier = WebhookVerifier.of(WebhookSecret.of(System.getenv("WEBHOOK_SECRET")));
 * VerifiedWebhook webhook = verifier.verify(exchange.getRequestHeaders(), rawBody);
 * }</pre>
 *
 * <p>It throws rather than answers, and what it throws is checked: a forgotten look at an answer
 * would let every forgery pass, a forgotten {@code catch} does not compile.
 *
 * <p>Guaranteed: who does not know one of the secrets gets nothing through, whatever the request
 * looks like; every signature in the header is compared with every secret, in constant time;
 * versions of signatures other than {@code v1} are passed over. Nothing but the declared exception
 * is thrown for what a request contains. Not guaranteed: that the webhook is seen for the first
 * time. Attempts repeat, and within the tolerance anyone who overheard a request can repeat it, so
 * remember {@link VerifiedWebhook#id()}.
 *
 * <p>By default the time may be 5 minutes off, in the past and in the future, by the system clock.
 * Immutable and thread-safe.
 */
public final class WebhookVerifier {
  private static final Duration STANDARD_TOLERANCE = Duration.ofMinutes(5);
  private static final int MAX_DIGITS = 12;

  private final List<WebhookSecret> secrets;
  private final Duration tolerance;
  private final Clock clock;

  private WebhookVerifier(List<WebhookSecret> secrets, Duration tolerance, Clock clock) {
    this.secrets = secrets;
    this.tolerance = tolerance;
    this.clock = clock;
  }

  public static WebhookVerifier of(WebhookSecret secret) {
    return new WebhookVerifier(List.of(secret), STANDARD_TOLERANCE, Clock.systemUTC());
  }

  /** Accepts what is signed with another secret, too: for the time in which one is replaced. */
  public WebhookVerifier and(WebhookSecret other) {
    List<WebhookSecret> more = new ArrayList<>(secrets);
    more.add(Objects.requireNonNull(other, "other"));
    return new WebhookVerifier(List.copyOf(more), tolerance, clock);
  }

  /**
   * How far the time of a webhook may be from now, in the past and in the future.
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
   * Verifies a request by all of its headers, whose names may be in any case.
   *
   * @param headers as servers give them; other headers are passed over
   * @param body the bytes as they came, before anything has parsed them
   * @throws InvalidWebhookException if it is not a genuine and fresh webhook
   */
  public VerifiedWebhook verify(Map<String, List<String>> headers, byte[] body)
      throws InvalidWebhookException {
    return verify(
        only(headers, WebhookHeaders.ID),
        only(headers, WebhookHeaders.TIMESTAMP),
        // a proxy may have made several lines of one list
        String.join(" ", values(headers, WebhookHeaders.SIGNATURE)),
        body);
  }

  /**
   * Verifies a request by the values of its three headers; {@code null} for one that is missing.
   *
   * @param body the bytes as they came, before anything has parsed them
   * @throws InvalidWebhookException if it is not a genuine and fresh webhook
   */
  public VerifiedWebhook verify(
      @Nullable String id, @Nullable String timestamp, @Nullable String signature, byte[] body)
      throws InvalidWebhookException {
    Objects.requireNonNull(body, "body");
    String givenId = present(id, WebhookHeaders.ID);
    String givenTime = present(timestamp, WebhookHeaders.TIMESTAMP);
    String signatures = present(signature, WebhookHeaders.SIGNATURE);
    if (!WebhookHeaders.isId(givenId)) {
      throw new InvalidWebhookException(
          Reason.MALFORMED_HEADER,
          "webhook-id must be 1 to 256 visible ASCII characters without a full stop");
    }
    Instant time = Instant.ofEpochSecond(seconds(givenTime));
    if (!signedByOneOfUs(new SignedContent(givenId, givenTime, body), signatures)) {
      throw new InvalidWebhookException(
          Reason.WRONG_SIGNATURE,
          "none of the signatures of webhook '" + givenId + "' fits the body and a known secret");
    }
    // after the signature: "too old" then says for sure that the sender was the right one
    Instant now = clock.instant();
    if (time.isBefore(now.minus(tolerance))) {
      throw new InvalidWebhookException(Reason.TOO_OLD, text(givenId, time, now));
    }
    if (time.isAfter(now.plus(tolerance))) {
      throw new InvalidWebhookException(Reason.TOO_NEW, text(givenId, time, now));
    }
    return new VerifiedWebhook(givenId, time);
  }

  private boolean signedByOneOfUs(SignedContent content, String signatures) {
    List<byte[]> expected =
        secrets.stream()
            .map(secret -> content.signature(secret).getBytes(StandardCharsets.UTF_8))
            .toList();
    boolean found = false;
    for (String given : signatures.split(" ", -1)) {
      if (given.startsWith(SignedContent.VERSION)) {
        byte[] bytes = given.getBytes(StandardCharsets.UTF_8);
        for (byte[] right : expected) {
          // no early end: the time taken must not say which of them fits
          found |= MessageDigest.isEqual(right, bytes);
        }
      }
    }
    return found;
  }

  private String text(String id, Instant time, Instant now) {
    return "webhook '%s' was sent at %s, and must be within %s of now, %s"
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
          "the header " + name + " must be there once, was " + values.size() + " times");
    }
    return values.isEmpty() ? null : values.get(0);
  }

  /** All values of this name, whatever the case; maps of servers contain null keys and values. */
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
