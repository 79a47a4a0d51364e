package dev.holdfast.webhook;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.internal.Require;
import java.time.Duration;

/**
 * Limits of a call: sizes, timeout, schemes and ports.
 *
 * <p><b>Defaults:</b> a body of 256 KiB, 50 headers of 16 KiB together, a URL of 4,096 characters,
 * a timeout of 60 s, http and https, ports 80, 443 and from 1024. They are checked when a call is
 * accepted, and by the sender at each attempt. Immutable and thread-safe.
 */
public final class WebhookLimits {
  private static final int KIB = 1024;

  private final int bodyBytes;
  private final int headers;
  private final int headerBytes;
  private final int urlLength;
  private final Duration timeout;
  private final boolean httpsOnly;
  private final Ports ports;

  private WebhookLimits(
      int bodyBytes,
      int headers,
      int headerBytes,
      int urlLength,
      Duration timeout,
      boolean httpsOnly,
      Ports ports) {
    this.bodyBytes = Require.between(bodyBytes, 0, 64 * KIB * KIB, "maxBodyBytes");
    this.headers = Require.between(headers, 0, 1000, "maxHeaders");
    this.headerBytes = Require.between(headerBytes, 0, KIB * KIB, "maxHeaderBytes");
    this.urlLength = Require.between(urlLength, 1, 64 * KIB, "maxUrlLength");
    this.timeout =
        Require.between(timeout, Duration.ofSeconds(1), Duration.ofHours(1), "maxTimeout");
    this.httpsOnly = httpsOnly;
    this.ports = ports;
  }

  public static WebhookLimits ofDefaults() {
    return new WebhookLimits(
        256 * KIB,
        50,
        16 * KIB,
        4 * KIB,
        Duration.ofSeconds(60),
        false,
        Ports.parse("80,443,1024-65535"));
  }

  /** Maximum size of a body; up to 64 MiB. */
  public WebhookLimits maxBodyBytes(int max) {
    return new WebhookLimits(max, headers, headerBytes, urlLength, timeout, httpsOnly, ports);
  }

  /** Maximum number of headers of a call, and of their characters together. */
  public WebhookLimits maxHeaders(int max, int bytes) {
    return new WebhookLimits(bodyBytes, max, bytes, urlLength, timeout, httpsOnly, ports);
  }

  public WebhookLimits maxUrlLength(int max) {
    return new WebhookLimits(bodyBytes, headers, headerBytes, max, timeout, httpsOnly, ports);
  }

  /** Maximum timeout of a call; from 1 s to 1 hour. */
  public WebhookLimits maxTimeout(Duration max) {
    return new WebhookLimits(bodyBytes, headers, headerBytes, urlLength, max, httpsOnly, ports);
  }

  /** Whether http is rejected. */
  public WebhookLimits httpsOnly(boolean only) {
    return new WebhookLimits(bodyBytes, headers, headerBytes, urlLength, timeout, only, ports);
  }

  /** The allowed ports, such as {@code 80,443,1024-65535}. */
  public WebhookLimits ports(String ports) {
    return new WebhookLimits(
        bodyBytes, headers, headerBytes, urlLength, timeout, httpsOnly, Ports.parse(ports));
  }

  /**
   * Checks that a call is well-formed and within these limits.
   *
   * @throws InvalidArgumentException names the limit and the value
   */
  public void check(WebhookCall call) {
    call.requireValid();
    Target target = call.target();
    Require.that(
        !httpsOnly || target.scheme().equals("https"), () -> "the scheme must be https, was http");
    Require.that(
        ports.contains(target.port()),
        () -> "the port must be one of " + ports.text() + ", was " + target.port());
    requireMax(call.url().length(), urlLength, "the URL", "characters");
    requireMax(call.bodySize(), bodyBytes, "the body", "bytes");
    requireMax(call.headers().size(), headers, "the call", "headers");
    requireMax(
        call.headers().stream().mapToInt(WebhookHeader::size).sum(),
        headerBytes,
        "the headers together",
        "characters");
    Require.that(
        call.timeout().compareTo(timeout) <= 0,
        () -> "the timeout must be at most " + timeout + ", was " + call.timeout());
  }

  private static void requireMax(int value, int max, String part, String unit) {
    Require.that(
        value <= max, () -> part + " must have at most " + max + " " + unit + ", had " + value);
  }
}
