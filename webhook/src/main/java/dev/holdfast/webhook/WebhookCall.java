package dev.holdfast.webhook;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.event.EventType;
import dev.holdfast.internal.Require;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP call, and how it is retried. It is the payload of the events of the type {@link #TYPE}.
 *
 * <p>{@link #to} and the methods after it accept only well-formed values: http or https, no user
 * info, no fragment, an unambiguous host, and headers that cannot break out of their line. A call
 * that was read from the database is checked by {@link WebhookLimits#check}, together with its size
 * and port. Whether its address may be called is decided by {@link AddressGuard} at each attempt.
 *
 * <p><b>Defaults:</b> {@code POST}, no headers, no body, a timeout of 10 s, {@link Retry#DEFAULT}.
 * Immutable and thread-safe. {@code toString} shows neither secrets nor the body.
 *
 * @param url in ASCII; may contain secrets, see {@link Redaction#url}
 * @param body in base64; null for none
 * @param timeoutMillis timeout of one attempt
 */
public record WebhookCall(
    String url,
    String method,
    List<WebhookHeader> headers,
    @Nullable String body,
    long timeoutMillis,
    Retry retry) {
  /** The type of all events that are webhooks. */
  public static final EventType<WebhookCall> TYPE =
      EventType.of("holdfast.webhook", WebhookCall.class);

  private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration MIN_TIMEOUT = Duration.ofMillis(1);
  private static final Duration MAX_TIMEOUT = Duration.ofHours(1);
  private static final Set<String> METHODS =
      Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE");

  /**
   * The retry policy: exponential backoff with full jitter.
   *
   * @param maxAttempts including the first one
   */
  public record Retry(
      int maxAttempts, long initialDelayMillis, double multiplier, long maxDelayMillis) {
    /** Ten attempts over about a day: 5 s, then four times as long each, at most six hours. */
    public static final Retry DEFAULT = new Retry(10, 5_000, 4, 6 * 3_600_000L);

    private static final double MILLIS_OF_A_YEAR = 365 * 24 * 3_600_000.0;

    boolean isLast(int attempt) {
      return attempt >= maxAttempts;
    }

    /**
     * The delay after this attempt, from 1: a random part of the backoff, so that events that
     * failed together are not retried together, and at least the time that the target asked for.
     *
     * @param random from 0 to 1
     */
    Duration delay(int attempt, Optional<Duration> retryAfter, double random) {
      double backoff = (double) initialDelayMillis * Math.pow(Math.max(1, multiplier), attempt - 1);
      double max = Math.min(Math.min(backoff, (double) maxDelayMillis), MILLIS_OF_A_YEAR);
      Duration jittered = Duration.ofMillis((long) (Math.max(0, max) * random));
      return retryAfter.filter(min -> min.compareTo(jittered) > 0).orElse(jittered);
    }
  }

  /**
   * A call to this URL.
   *
   * @throws InvalidArgumentException if it is not an absolute http or https URL with a host, or has
   *     user info or a fragment
   */
  public static WebhookCall to(String url) {
    URI parsed;
    try {
      parsed = new URI(new URI(url).toASCIIString());
    } catch (URISyntaxException malformed) {
      throw new InvalidArgumentException(
          "the URL must be well-formed; at character "
              + (malformed.getIndex() + 1)
              + ": "
              + malformed.getReason());
    }
    Require.that(parsed.getScheme() != null, () -> "the URL must begin with http:// or https://");
    // before the host, which is not found if there are two @
    String authority = parsed.getRawAuthority();
    Require.that(
        authority == null || authority.indexOf('@') < 0,
        () -> "the URL must not contain a user or password; send them in a header");
    // checks scheme, host and port
    Target.of(parsed);
    Require.that(parsed.getRawFragment() == null, () -> "the URL must not have a fragment (#…)");
    return new WebhookCall(
        parsed.toString(), "POST", List.of(), null, DEFAULT_TIMEOUT.toMillis(), Retry.DEFAULT);
  }

  /**
   * Sets the method: {@code GET}, {@code HEAD}, {@code POST}, {@code PUT}, {@code PATCH} or {@code
   * DELETE}.
   */
  public WebhookCall method(String method) {
    Require.that(
        METHODS.contains(method),
        () ->
            "the method must be GET, HEAD, POST, PUT, PATCH or DELETE, was '"
                + Excerpt.safe(method)
                + "'");
    return new WebhookCall(url, method, headers, body, timeoutMillis, retry);
  }

  /** Adds a header after the others. */
  public WebhookCall header(String name, String value) {
    List<WebhookHeader> more = new ArrayList<>(headers);
    more.add(new WebhookHeader(name, value).requireValid());
    return new WebhookCall(url, method, List.copyOf(more), body, timeoutMillis, retry);
  }

  /** Sets the body. */
  public WebhookCall body(byte[] bytes) {
    String encoded = Base64.getEncoder().encodeToString(bytes);
    return new WebhookCall(url, method, headers, encoded, timeoutMillis, retry);
  }

  /** Sets the timeout of an attempt, from its start to the last byte of the response. */
  public WebhookCall timeout(Duration timeout) {
    Require.between(timeout, MIN_TIMEOUT, MAX_TIMEOUT, "the timeout");
    return new WebhookCall(url, method, headers, body, timeout.toMillis(), retry);
  }

  public WebhookCall retry(Retry policy) {
    return new WebhookCall(url, method, headers, body, timeoutMillis, policy);
  }

  /**
   * Checks what {@link #to} and the methods after it check.
   *
   * @throws InvalidArgumentException if a part is not well-formed
   * @throws RuntimeException if a part is missing or the body is not base64
   */
  void requireValid() {
    to(url).method(method).timeout(timeout());
    headers.forEach(WebhookHeader::requireValid);
    bodyBytes();
  }

  public Target target() {
    return Target.of(URI.create(url));
  }

  public Duration timeout() {
    return Duration.ofMillis(timeoutMillis);
  }

  /** The decoded body; empty if there is none. */
  public byte[] bodyBytes() {
    return body == null ? new byte[0] : Base64.getDecoder().decode(body);
  }

  int bodySize() {
    if (body == null) {
      return 0;
    }
    int padding = body.endsWith("==") ? 2 : body.endsWith("=") ? 1 : 0;
    return body.length() / 4 * 3 - padding;
  }

  /** The path and the query, as in the request line. */
  String requestTarget() {
    URI parsed = URI.create(url);
    String path = parsed.getRawPath();
    String query = parsed.getRawQuery();
    return (path == null || path.isEmpty() ? "/" : path) + (query == null ? "" : "?" + query);
  }

  @Override
  public String toString() {
    return "WebhookCall[%s %s, headers %s, %d bytes, timeout %s]"
        .formatted(method, Redaction.url(url), headers, bodySize(), timeout());
  }
}
