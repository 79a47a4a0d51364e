package dev.holdfast.webhook;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.internal.Require;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** A header of a call. {@code toString} redacts values that may be secret. */
public record WebhookHeader(String name, String value) {
  private static final Pattern TOKEN = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}");

  /**
   * These frame the message or belong to the connection; they could be used to smuggle requests.
   */
  private static final Set<String> RESERVED =
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

  private static final Set<String> RESERVED_PREFIXES =
      Set.of("webhook-", "holdfast-", "proxy-", "sec-");

  /**
   * Returns this header if it is valid.
   *
   * @throws InvalidArgumentException if the name is not a token or is set by the delivery ({@code
   *     Host}, {@code Content-Length}, {@code Connection}, {@code webhook-*}, …), or if the value
   *     has other characters than visible ASCII, spaces and tabs
   */
  WebhookHeader requireValid() {
    String lower = name.toLowerCase(Locale.ROOT);
    Require.that(
        TOKEN.matcher(name).matches(),
        () ->
            "the name of a header must be of letters, digits and hyphens, was '"
                + Excerpt.safe(name)
                + "'");
    Require.that(
        !RESERVED.contains(lower) && RESERVED_PREFIXES.stream().noneMatch(lower::startsWith),
        () -> "the header " + lower + " is set by the delivery and must not be given");
    Require.that(
        value.chars().allMatch(c -> (c >= ' ' && c < 0x7f) || c == '\t'),
        () -> "the header " + lower + " must be of visible ASCII characters, spaces and tabs");
    return this;
  }

  int size() {
    return name.length() + value.length();
  }

  @Override
  public String toString() {
    return name + ": " + Redaction.header(name, value);
  }
}
