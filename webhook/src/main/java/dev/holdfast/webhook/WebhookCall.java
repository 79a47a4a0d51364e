package dev.holdfast.webhook;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.internal.Require;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * One HTTP call as it is to be made: URL, method, headers, body, and the time it may take.
 *
 * <p>It is well-formed when it exists: http or https, no user info, no fragment, a host that can be
 * read in one way only, headers that cannot break out of their line. How large it may be and which
 * ports it may use is said by {@link WebhookLimits}; whether its address may be reached, by {@link
 * AddressGuard}, at each attempt.
 *
 * <p>Defaults: {@code POST}, no headers, an empty body, 10 s. Immutable and thread-safe; {@code
 * toString} shows neither secrets nor the body.
 */
public final class WebhookCall {
  private static final Duration STANDARD_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration MIN_TIMEOUT = Duration.ofMillis(1);
  private static final Duration MAX_TIMEOUT = Duration.ofHours(1);
  private static final Set<String> METHODS =
      Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE");

  private final URI url;
  private final Target target;
  private final String method;
  private final List<WebhookHeader> headers;
  private final byte[] body;
  private final Duration timeout;

  private WebhookCall(
      URI url,
      Target target,
      String method,
      List<WebhookHeader> headers,
      byte[] body,
      Duration timeout) {
    this.url = url;
    this.target = target;
    this.method = method;
    this.headers = headers;
    this.body = body;
    this.timeout = timeout;
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
    // before the host, which is not found where there are two @
    String authority = parsed.getRawAuthority();
    Require.that(
        authority == null || authority.indexOf('@') < 0,
        () -> "the URL must not contain a user or password; send them in a header");
    Target target = Target.of(parsed);
    Require.that(parsed.getRawFragment() == null, () -> "the URL must not have a fragment (#…)");
    return new WebhookCall(parsed, target, "POST", List.of(), new byte[0], STANDARD_TIMEOUT);
  }

  /**
   * With another method: {@code GET}, {@code HEAD}, {@code POST}, {@code PUT}, {@code PATCH} or
   * {@code DELETE}.
   */
  public WebhookCall method(String method) {
    Require.that(
        METHODS.contains(method),
        () ->
            "the method must be GET, HEAD, POST, PUT, PATCH or DELETE, was '"
                + Excerpt.safe(method)
                + "'");
    return new WebhookCall(url, target, method, headers, body, timeout);
  }

  /** With one more header, after those before it. */
  public WebhookCall header(String name, String value) {
    List<WebhookHeader> more = new ArrayList<>(headers);
    more.add(new WebhookHeader(name, value));
    return new WebhookCall(url, target, method, List.copyOf(more), body, timeout);
  }

  /** With this body, of which a copy is taken. */
  public WebhookCall body(byte[] body) {
    return new WebhookCall(url, target, method, headers, body.clone(), timeout);
  }

  /** How long an attempt may take, from its beginning to the last byte of the answer. */
  public WebhookCall timeout(Duration timeout) {
    Require.between(timeout, MIN_TIMEOUT, MAX_TIMEOUT, "the timeout");
    return new WebhookCall(url, target, method, headers, body, timeout);
  }

  /** The URL, in ASCII; it may contain secrets, see {@link Redaction#url}. */
  public String url() {
    return url.toString();
  }

  public Target target() {
    return target;
  }

  public String method() {
    return method;
  }

  public List<WebhookHeader> headers() {
    return headers;
  }

  /** A copy of the body. */
  public byte[] body() {
    return body.clone();
  }

  public Duration timeout() {
    return timeout;
  }

  byte[] bodyItself() {
    return body;
  }

  /** What stands in the request line: the path and the query. */
  String requestTarget() {
    String path = url.getRawPath();
    String query = url.getRawQuery();
    return (path == null || path.isEmpty() ? "/" : path) + (query == null ? "" : "?" + query);
  }

  @Override
  public String toString() {
    return "WebhookCall[%s %s, headers %s, %d bytes, timeout %s]"
        .formatted(method, Redaction.url(url()), headers, body.length, timeout);
  }
}
