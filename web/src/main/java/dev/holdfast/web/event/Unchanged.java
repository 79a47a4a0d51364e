package dev.holdfast.web.event;

import dev.holdfast.web.api.Members;
import dev.holdfast.webhook.Redaction;
import dev.holdfast.webhook.WebhookCall;
import dev.holdfast.webhook.WebhookTask;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a stored call that a change keeps: {@code url}, {@code body} and {@code
 * headers.NAME}. What the API shows of a call is redacted, so a client that has read it can name
 * what it does not know.
 *
 * @param names as the request has them
 * @param headers the stored ones of the headers that are named
 */
record Unchanged(
    List<String> names, List<WebhookTask.Header> headers, @Nullable WebhookTask stored) {
  static final String MASKED =
      "contains "
          + Redaction.HIDDEN
          + ", which only stands in place of a value: send the value, or in a change of what is"
          + " stored name it in 'target.unchanged'";

  private static final String HEADER_PREFIX = "headers.";
  private static final String URL = "url";
  private static final String BODY = "body";
  private static final String CONTENT_TYPE = "content-type";

  /** What the member {@code unchanged} of a target says. */
  static Unchanged read(Members target, @Nullable WebhookTask stored) {
    List<String> names = target.texts("unchanged");
    List<WebhookTask.Header> headers = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      String name = names.get(i);
      String member = "unchanged[" + i + "]";
      if (stored == null) {
        throw target.refused(
            member, "needs something stored: change an existing schedule, with If-Match");
      }
      if (name.startsWith(HEADER_PREFIX)) {
        List<WebhookTask.Header> found = named(name.substring(HEADER_PREFIX.length()), stored);
        if (found.isEmpty()) {
          throw target.refused(member, "names a header that is not stored");
        }
        headers.addAll(found);
      } else if (!name.equals(URL) && !name.equals(BODY)) {
        throw target.refused(member, "must be url, body or headers.NAME");
      }
    }
    return new Unchanged(names, headers, stored);
  }

  private static List<WebhookTask.Header> named(String name, WebhookTask stored) {
    return stored.headers().stream().filter(one -> one.name().equalsIgnoreCase(name)).toList();
  }

  /** The URL of the call: the stored one, or the one that is given. */
  String url(Members target) {
    String given = target.text(URL);
    if (stored != null && names.contains(URL)) {
      refuseIf(given != null, target, URL);
      return stored.url();
    }
    if (given == null) {
      throw target.refused(URL, "is missing");
    }
    if (Redaction.isMasked(given)) {
      throw target.refused(URL, MASKED);
    }
    return given;
  }

  /**
   * Refuses to send a hidden value elsewhere: whoever may change a schedule, and is not shown the
   * value, must not get it by naming a server of their own.
   */
  void requireSameTarget(Members target, WebhookCall call) {
    boolean hides =
        headers.stream()
            .anyMatch(one -> Redaction.header(one.name(), one.value()).equals(Redaction.HIDDEN));
    if (hides && stored != null && !WebhookCall.to(stored.url()).target().equals(call.target())) {
      throw target.refused(
          "unchanged",
          "must not name a header whose value is hidden where 'url' has another scheme, host or"
              + " port: send the value");
    }
  }

  boolean keepsBody() {
    return names.contains(BODY);
  }

  /** The stored body, null where there is none. */
  byte @Nullable [] body(Members target) {
    for (String other : List.of(BODY, "text", "base64")) {
      refuseIf(target.has(other), target, other);
    }
    return stored == null || stored.body() == null
        ? null
        : Base64.getDecoder().decode(stored.body());
  }

  /** That of the stored body. */
  @Nullable String contentType() {
    return stored == null
        ? null
        : named(CONTENT_TYPE, stored).stream()
            .map(WebhookTask.Header::value)
            .findFirst()
            .orElse(null);
  }

  private static void refuseIf(boolean given, Members target, String member) {
    if (given) {
      throw target.refused(member, "must not be given, it is to stay unchanged");
    }
  }
}
