package dev.holdfast.webhook;

import java.net.URI;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Redacts secrets in headers and URLs, and in responses that repeat them.
 *
 * <p>Values of headers and query parameters are shown only if their name is on a list of harmless
 * names. The path of a URL and the body of a call are not redacted: a secret there, as in the path
 * of an incoming webhook of a chat, is shown.
 */
public final class Redaction {
  /** Replaces a secret. */
  public static final String HIDDEN = "[redacted]";

  private static final Set<String> SHOWN_HEADERS =
      Set.of(
          "accept",
          "accept-charset",
          "accept-encoding",
          "accept-language",
          "cache-control",
          "content-encoding",
          "content-language",
          "content-type",
          "date",
          "if-match",
          "if-modified-since",
          "if-none-match",
          "if-unmodified-since",
          "pragma",
          "prefer",
          "range",
          "traceparent",
          "tracestate",
          "user-agent",
          "x-correlation-id",
          "x-event-type",
          "x-request-id");

  private static final Set<String> SHOWN_PARAMETERS =
      Set.of(
          "after",
          "api-version",
          "api_version",
          "before",
          "count",
          "currency",
          "event",
          "fields",
          "format",
          "id",
          "kind",
          "lang",
          "language",
          "limit",
          "locale",
          "offset",
          "order",
          "page",
          "page_size",
          "per_page",
          "since",
          "size",
          "sort",
          "status",
          "timezone",
          "topic",
          "type",
          "until",
          "v",
          "version");

  private static final Pattern MASKED = Pattern.compile("(?i)(?:\\[|%5b)redacted(?:\\]|%5d)");

  /** Redacting shorter texts would make responses unreadable. */
  private static final int MIN_SECRET = 6;

  private Redaction() {}

  /** Whether a text contains {@link #HIDDEN}, also URL-encoded, and must not be stored. */
  public static boolean isMasked(String text) {
    return MASKED.matcher(text).find();
  }

  private static boolean isHiddenHeader(String name) {
    return !SHOWN_HEADERS.contains(name.toLowerCase(Locale.ROOT));
  }

  private static boolean isHiddenParameter(String name) {
    return !SHOWN_PARAMETERS.contains(name.toLowerCase(Locale.ROOT));
  }

  /** The value, or {@link #HIDDEN} if the header may contain a secret. */
  public static String header(String name, String value) {
    return isHiddenHeader(name) ? HIDDEN : value;
  }

  /** The URL with {@link #HIDDEN} for the values of parameters that may contain a secret. */
  public static String url(String url) {
    int query = url.indexOf('?');
    if (query < 0) {
      return url;
    }
    int fragment = url.indexOf('#', query);
    int end = fragment < 0 ? url.length() : fragment;
    List<String> shown = new ArrayList<>();
    for (String parameter : url.substring(query + 1, end).split("&", -1)) {
      String secret = secret(parameter);
      shown.add(
          secret == null
              ? parameter
              : parameter.substring(0, parameter.length() - secret.length()) + HIDDEN);
    }
    return url.substring(0, query + 1) + String.join("&", shown) + url.substring(end);
  }

  /** The secret part of a parameter: its value, or all of it without a name; null for none. */
  private static @Nullable String secret(String parameter) {
    int equals = parameter.indexOf('=');
    String name = equals < 0 ? parameter : parameter.substring(0, equals);
    String value = parameter.substring(equals + 1);
    return value.isEmpty() || !isHiddenParameter(name) ? null : value;
  }

  /** Secrets of the call that a target may repeat in its response, the longest first. */
  static List<String> secretsOf(WebhookCall call) {
    List<String> secrets = new ArrayList<>();
    for (WebhookHeader header : call.headers()) {
      if (isHiddenHeader(header.name())) {
        secrets.add(header.value());
        // the token of "Bearer token", the value of "name=value"
        secrets.addAll(List.of(header.value().split("[ ,;=]+", -1)));
      }
    }
    String query = URI.create(call.url()).getRawQuery();
    for (String parameter : query == null ? List.<String>of() : List.of(query.split("&", -1))) {
      String secret = secret(parameter);
      if (secret != null) {
        secrets.add(secret);
      }
    }
    return secrets.stream()
        .filter(secret -> secret.length() >= MIN_SECRET)
        .distinct()
        .sorted(Comparator.comparing(String::length).reversed())
        .toList();
  }
}
