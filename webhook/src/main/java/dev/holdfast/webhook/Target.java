package dev.holdfast.webhook;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.internal.Require;
import java.net.URI;
import java.util.Locale;

/**
 * The target of a call: scheme, host and port. Circuits and limits are per target.
 *
 * @param host in lower case; an IPv6 address without brackets
 */
public record Target(String scheme, String host, int port) {
  private static final int HTTP = 80;
  private static final int HTTPS = 443;
  private static final int LAST_PORT = 65_535;

  /**
   * The target of a URL.
   *
   * @throws InvalidArgumentException if the scheme, host or port is not valid
   */
  public static Target of(URI url) {
    return new Target(url.getScheme(), host(url).text(), url.getPort());
  }

  public Target {
    scheme = scheme.toLowerCase(Locale.ROOT);
    String given = scheme;
    Require.that(
        scheme.equals("http") || scheme.equals("https"),
        () -> "the scheme must be http or https, was '" + Excerpt.safe(given) + "'");
    if (port == -1) {
      port = defaultPort(scheme);
    }
    Require.between(port, 1, LAST_PORT, "the port");
  }

  static Host host(URI url) {
    String host = url.getHost();
    if (host == null) {
      String authority = url.getRawAuthority();
      throw new InvalidArgumentException(
          "the URL must have a host, a name of ASCII letters, digits and hyphens or a plain"
              + " address, had "
              + (authority == null ? "none" : "'" + Excerpt.safe(withoutUser(authority)) + "'"));
    }
    return Host.parse(host);
  }

  private static String withoutUser(String authority) {
    return authority.substring(authority.lastIndexOf('@') + 1);
  }

  private static int defaultPort(String scheme) {
    return scheme.equals("https") ? HTTPS : HTTP;
  }

  /** The port in an authority: -1 for the default port of the scheme. */
  int shownPort() {
    return port == defaultPort(scheme) ? -1 : port;
  }

  @Override
  public String toString() {
    String shown = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
    return scheme + "://" + shown + (shownPort() == -1 ? "" : ":" + port);
  }

  Host parsedHost() {
    return Host.parse(host.indexOf(':') >= 0 ? "[" + host + "]" : host);
  }
}
