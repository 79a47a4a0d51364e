package dev.holdfast.webhook;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.internal.Require;
import java.time.Duration;

/**
 * How large a call may be, how long it may take, and which schemes and ports it may use.
 *
 * <p>Defaults: a body of 256 KiB, 50 headers of 16 KiB together, a URL of 4,096 characters, 60 s,
 * http and https, ports 80, 443 and from 1024. Checked when a call is accepted, by whoever accepts
 * it, and again by the sender at each attempt. Immutable and thread-safe.
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
    this.bodyBytes = Require.between(bodyBytes, 0, 64 * KIB * KIB, "the limit of bodies");
    this.headers = Require.between(headers, 0, 1000, "the limit of headers");
    this.headerBytes = Require.between(headerBytes, 0, KIB * KIB, "the limit of header bytes");
    this.urlLength = Require.between(urlLength, 1, 64 * KIB, "the limit of URLs");
    this.timeout =
        Require.between(timeout, Duration.ofSeconds(1), Duration.ofHours(1), "the longest timeout");
    this.httpsOnly = httpsOnly;
    this.ports = ports;
  }

  public static WebhookLimits standard() {
    return new WebhookLimits(
        256 * KIB,
        50,
        16 * KIB,
        4 * KIB,
        Duration.ofSeconds(60),
        false,
        Ports.parse("80,443,1024-65535"));
  }

  /** How many bytes a body may have; up to 64 MiB. */
  public WebhookLimits bodyBytes(int most) {
    return new WebhookLimits(most, headers, headerBytes, urlLength, timeout, httpsOnly, ports);
  }

  /** How many headers a call may have, and how many characters all of them together. */
  public WebhookLimits headers(int most, int bytes) {
    return new WebhookLimits(bodyBytes, most, bytes, urlLength, timeout, httpsOnly, ports);
  }

  public WebhookLimits urlLength(int most) {
    return new WebhookLimits(bodyBytes, headers, headerBytes, most, timeout, httpsOnly, ports);
  }

  /** The longest timeout that a call may ask for; from 1 s to 1 hour. */
  public WebhookLimits timeout(Duration most) {
    return new WebhookLimits(bodyBytes, headers, headerBytes, urlLength, most, httpsOnly, ports);
  }

  /** Whether http is refused. */
  public WebhookLimits httpsOnly(boolean only) {
    return new WebhookLimits(bodyBytes, headers, headerBytes, urlLength, timeout, only, ports);
  }

  /** The ports that may be called, written like {@code 80,443,1024-65535}. */
  public WebhookLimits ports(String ports) {
    return new WebhookLimits(
        bodyBytes, headers, headerBytes, urlLength, timeout, httpsOnly, Ports.parse(ports));
  }

  /**
   * Refuses a call that is not within these limits.
   *
   * @throws InvalidArgumentException which says the limit and what it was
   */
  public void check(WebhookCall call) {
    Target target = call.target();
    Require.that(
        !httpsOnly || target.scheme().equals("https"), () -> "the scheme must be https, was http");
    Require.that(
        ports.contains(target.port()),
        () -> "the port must be one of " + ports.text() + ", was " + target.port());
    most(call.url().length(), urlLength, "the URL", "characters");
    most(call.bodyItself().length, bodyBytes, "the body", "bytes");
    most(call.headers().size(), headers, "the call", "headers");
    most(
        call.headers().stream().mapToInt(WebhookHeader::size).sum(),
        headerBytes,
        "the headers together",
        "characters");
    Require.that(
        call.timeout().compareTo(timeout) <= 0,
        () -> "the timeout must be at most " + timeout + ", was " + call.timeout());
  }

  private static void most(int value, int most, String of, String what) {
    Require.that(
        value <= most, () -> of + " must have at most " + most + " " + what + ", had " + value);
  }
}
