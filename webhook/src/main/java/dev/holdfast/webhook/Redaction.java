package dev.holdfast.webhook;

import java.net.URI;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Hides what must not be shown: secrets in headers, in URLs, and where a target repeats them. */
public final class Redaction {
  /** What stands in place of a secret. */
  public static final String HIDDEN = "[redacted]";

  private static final Pattern SECRET_NAME =
      Pattern.compile(
          "(?i)authorization|cookie|.*(?:token|secret|key|password|passwd|credential|signature).*");
  private static final Pattern PARAMETER = Pattern.compile("([?&])([^=&#]*)=([^&#]*)");

  /** Shorter texts would hide half of every answer, and are no secrets. */
  private static final int SHORTEST_SECRET = 6;

  private Redaction() {}

  /** Whether the value of a header or parameter of this name is hidden. */
  public static boolean isSecret(String name) {
    return SECRET_NAME.matcher(name).matches();
  }

  /** The value, or {@link #HIDDEN} where the name says that it is a secret. */
  public static String header(String name, String value) {
    return isSecret(name) ? HIDDEN : value;
  }

  /** The URL with the values of secret parameters hidden. */
  public static String url(String url) {
    return PARAMETER
        .matcher(url)
        .replaceAll(
            match ->
                Matcher.quoteReplacement(
                    match.group(1)
                        + match.group(2)
                        + "="
                        + (isSecret(match.group(2)) ? HIDDEN : match.group(3))));
  }

  /** What a target knows from the call and may repeat in its answer, the longest first. */
  static List<String> secretsOf(WebhookCall call) {
    List<String> secrets = new ArrayList<>();
    for (WebhookHeader header : call.headers()) {
      if (isSecret(header.name())) {
        secrets.add(header.value());
        // the token of "Bearer token", the value of "name=value"
        secrets.addAll(List.of(header.value().split("[ ,;=]+", -1)));
      }
    }
    String query = URI.create(call.url()).getRawQuery();
    if (query != null) {
      Matcher parameters = PARAMETER.matcher("?" + query);
      while (parameters.find()) {
        if (isSecret(parameters.group(2))) {
          secrets.add(parameters.group(3));
        }
      }
    }
    return secrets.stream()
        .filter(secret -> secret.length() >= SHORTEST_SECRET)
        .distinct()
        .sorted(Comparator.comparing(String::length).reversed())
        .toList();
  }
}
