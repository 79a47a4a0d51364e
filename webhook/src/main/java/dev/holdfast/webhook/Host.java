package dev.holdfast.webhook;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.internal.Require;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The host of a URL: a name, or an address in its canonical notation.
 *
 * <p>Other notations (decimal {@code 2130706433}, octal {@code 0177.0.0.1}, hexadecimal, short
 * {@code 127.1}) are rejected: programs disagree on their meaning, so the guard and the connection
 * could use different addresses.
 */
record Host(String text, @Nullable InetAddress literal) {
  private static final int MAX_NAME_LENGTH = 253;
  private static final Pattern NAME =
      Pattern.compile(
          "(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?");
  private static final Pattern LAST_LABEL_IS_A_NUMBER =
      Pattern.compile("(?:.*\\.)?(?:[0-9]+|0x[0-9a-f]*)");
  private static final String BYTE = "(0|[1-9][0-9]?|1[0-9][0-9]|2[0-4][0-9]|25[0-5])";
  private static final Pattern DOTTED_QUAD =
      Pattern.compile(BYTE + "\\." + BYTE + "\\." + BYTE + "\\." + BYTE);
  private static final Pattern IPV6 = Pattern.compile("[0-9a-f:.]{2,45}");

  /** Parses a host; an IPv6 address is in brackets. Names are not resolved. */
  static Host parse(String given) {
    String text = given.toLowerCase(Locale.ROOT);
    if (text.startsWith("[") && text.endsWith("]")) {
      return ipv6(text.substring(1, text.length() - 1));
    }
    if (text.endsWith(".")) {
      text = text.substring(0, text.length() - 1);
    }
    if (LAST_LABEL_IS_A_NUMBER.matcher(text).matches()) {
      return ipv4(text);
    }
    Require.that(
        text.length() <= MAX_NAME_LENGTH && NAME.matcher(text).matches(),
        () ->
            "a host must be a name of ASCII letters, digits, hyphens and full stops, or an"
                + " address, was '"
                + shown(given)
                + "'");
    return new Host(text, null);
  }

  private static Host ipv4(String text) {
    Require.that(
        DOTTED_QUAD.matcher(text).matches(),
        () ->
            "an IPv4 address must be written as four decimal numbers from 0 to 255 without leading"
                + " zeros, was '"
                + shown(text)
                + "'");
    return new Host(text, literal(text));
  }

  private static Host ipv6(String text) {
    Require.that(
        IPV6.matcher(text).matches() && text.indexOf(':') >= 0,
        () ->
            "an IPv6 address must be of hexadecimal groups without a zone, was '"
                + shown(text)
                + "'");
    InetAddress address = literal(text);
    return new Host(address.getHostAddress(), address);
  }

  /** Only for texts that are not names, so that nothing is resolved. */
  private static InetAddress literal(String text) {
    try {
      return InetAddress.getByName(text);
    } catch (UnknownHostException malformed) {
      throw new InvalidArgumentException(
          "an address must be well-formed, was '" + shown(text) + "'");
    }
  }

  private static String shown(String text) {
    return Excerpt.safe(text.length() > 100 ? text.substring(0, 100) + "…" : text);
  }
}
