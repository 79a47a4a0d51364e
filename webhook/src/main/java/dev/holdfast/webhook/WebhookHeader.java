package dev.holdfast.webhook;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.internal.Require;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * One header of a call. Its value is hidden by {@code toString} where its name says that it is a
 * secret.
 *
 * <p>Refused with {@link InvalidArgumentException}: a name that is not a token or is one that the
 * delivery sets itself ({@code Host}, {@code Content-Length}, {@code Connection}, {@code
 * webhook-*}, …), and a value that is not of visible ASCII characters, spaces and tabs.
 */
public record WebhookHeader(String name, String value) {
  private static final Pattern TOKEN = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}");

  /** They frame the message or belong to the connection: whoever sets them can smuggle. */
  private static final Set<String> OURS =
      Set.of(
          "host",
          "content-length",
          "connection",
          "keep-alive",
          "transfer-encoding",
          "te",
          "trailer",
          "upgrade",
          "expect",
          "http2-settings");

  private static final Set<String> OUR_PREFIXES = Set.of("webhook-", "holdfast-", "proxy-", "sec-");

  public WebhookHeader {
    String lower = name.toLowerCase(Locale.ROOT);
    Require.that(
        TOKEN.matcher(name).matches(),
        () ->
            "the name of a header must be of letters, digits and hyphens, was '"
                + Excerpt.safe(name)
                + "'");
    Require.that(
        !OURS.contains(lower) && OUR_PREFIXES.stream().noneMatch(lower::startsWith),
        () -> "the header " + lower + " is set by the delivery and must not be given");
    Require.that(
        value.chars().allMatch(c -> (c >= ' ' && c < 0x7f) || c == '\t'),
        () -> "the header " + lower + " must be of visible ASCII characters, spaces and tabs");
  }

  int size() {
    return name.length() + value.length();
  }

  @Override
  public String toString() {
    return name + ": " + Redaction.header(name, value);
  }
}
