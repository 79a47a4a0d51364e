package dev.holdfast.web.event;

import dev.holdfast.web.api.Json;
import dev.holdfast.web.api.Members;
import dev.holdfast.web.api.Text;
import dev.holdfast.webhook.Redaction;
import dev.holdfast.webhook.WebhookCall;
import dev.holdfast.webhook.WebhookHeader;
import dev.holdfast.webhook.WebhookLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Reads calls from requests. It rejects calls that could not be made, by the same checks as the
 * sender. Thread-safe.
 */
public final class CallReader {
  private static final String REDACTED =
      "contains "
          + Redaction.HIDDEN
          + ", which replaces a value: send the value, or, to change what is stored, name it in"
          + " 'target.unchanged'";
  private static final String HEADER_PREFIX = "headers.";
  private static final String URL = "url";
  private static final String BODY = "body";
  private static final String CONTENT_TYPE = "content-type";
  private static final Set<String> KNOWN =
      Set.of("url", "method", "headers", "contentType", "body", "text", "base64", "unchanged");
  private static final Set<String> KNOWN_RETRY =
      Set.of("maxAttempts", "initialDelay", "multiplier", "maxDelay");
  private static final Duration TIMEOUT = Duration.ofSeconds(15);
  private static final int MAX_ATTEMPTS = 1000;
  private static final double MAX_MULTIPLIER = 100;
  private static final Duration MAX_DELAY = Duration.ofDays(30);

  private final WebhookLimits limits;

  public CallReader(WebhookLimits limits) {
    this.limits = limits;
  }

  /** The call of the members {@code target}, {@code timeout} and {@code retry}. */
  public WebhookCall read(Members all) {
    return read(all, null);
  }

  /**
   * Reads a call that may keep parts of a stored one.
   *
   * @param stored has the parts that {@code target.unchanged} names; null if nothing is stored
   */
  public WebhookCall read(Members all, @Nullable WebhookCall stored) {
    Members target = all.object("target");
    if (target == null) {
      throw all.refused("target", "is required: it is what the event calls");
    }
    target.only(KNOWN);
    KeptParts kept = KeptParts.read(target, stored);
    String url = kept.url(target);
    WebhookCall call = target.checked("url", () -> WebhookCall.to(url));
    kept.requireSameTarget(target, call);
    String method = target.text("method");
    if (method != null) {
      WebhookCall before = call;
      call = target.checked("method", () -> before.method(method.toUpperCase(Locale.ROOT)));
    }
    call = headers(call, target, kept);
    byte[] body = kept.keepsBody() ? kept.body(target) : body(target);
    String contentType = contentType(call, target, body, kept);
    if (contentType != null) {
      WebhookCall before = call;
      call = target.checked("contentType", () -> before.header("Content-Type", contentType));
    }
    if (body != null) {
      call = call.body(body);
    }
    Duration given = all.duration("timeout");
    Duration timeout = Duration.ofMillis((given == null ? TIMEOUT : given).toMillis());
    WebhookCall untimed = call;
    WebhookCall valid = all.checked("timeout", () -> untimed.timeout(timeout));
    all.checked(
        "target",
        () -> {
          limits.check(valid);
          return valid;
        });
    return valid.retry(retry(all));
  }

  private static WebhookCall headers(WebhookCall call, Members target, KeptParts kept) {
    Members headers = target.object("headers");
    WebhookCall result = call;
    for (WebhookHeader header : kept.headers()) {
      if (headers != null && headers.names().stream().anyMatch(header.name()::equalsIgnoreCase)) {
        throw headers.refused(header.name(), "must not be given, because it is in 'unchanged'");
      }
      WebhookCall before = result;
      result = target.checked("unchanged", () -> before.header(header.name(), header.value()));
    }
    for (String name : headers == null ? List.<String>of() : headers.names()) {
      JsonNode value = headers == null ? null : headers.any(name);
      List<String> values =
          value == null || headers == null
              ? List.of()
              : value.isArray() ? headers.texts(name) : List.of(String.valueOf(headers.text(name)));
      for (String one : values) {
        if (headers != null && Redaction.isMasked(one)) {
          throw headers.refused(name, REDACTED);
        }
        WebhookCall before = result;
        result = target.checked("headers", () -> before.header(name, one));
      }
    }
    return result;
  }

  /** The bytes of the body; null if there is none. */
  private static byte @Nullable [] body(Members target) {
    long given = List.of("body", "text", "base64").stream().filter(target::has).count();
    if (given > 1) {
      throw target.refused("body", "must not be given together with 'text' or 'base64'");
    }
    JsonNode body = target.any("body");
    if (body != null) {
      return json(body, target);
    }
    String base64 = target.text("base64");
    if (base64 != null) {
      try {
        return Base64.getDecoder().decode(base64);
      } catch (IllegalArgumentException e) {
        throw target.refused("base64", "must be base64");
      }
    }
    // unlike other texts it may contain the character 0
    JsonNode text = target.any("text");
    if (text == null) {
      return null;
    }
    if (!text.isString()) {
      throw target.refused("text", "must be a string");
    }
    return Text.utf8(text.stringValue())
        .orElseThrow(() -> target.refused("text", "must not contain single surrogates"));
  }

  private static byte[] json(JsonNode body, Members target) {
    if (isDeeperThan(TargetView.MAX_DEPTH, body)) {
      throw target.refused(
          "body", "must have at most " + TargetView.MAX_DEPTH + " levels; send it as 'text'");
    }
    // they would be encoded as question marks
    if (!isEncodable(body)) {
      throw target.refused("body", "must not contain single surrogates");
    }
    return Json.bytes(body);
  }

  /** Whether all texts can be encoded; names are checked by the JSON parser. */
  private static boolean isEncodable(JsonNode node) {
    return node.isString()
        ? Text.utf8(node.stringValue()).isPresent()
        : node.values().stream().allMatch(CallReader::isEncodable);
  }

  private static boolean isDeeperThan(int depth, JsonNode node) {
    return depth < 0 || node.values().stream().anyMatch(inner -> isDeeperThan(depth - 1, inner));
  }

  private static @Nullable String contentType(
      WebhookCall call, Members target, byte @Nullable [] body, KeptParts kept) {
    boolean inHeaders =
        call.headers().stream().anyMatch(header -> header.name().equalsIgnoreCase("content-type"));
    String given = target.text("contentType");
    if (given != null && inHeaders) {
      throw target.refused("contentType", "must not be given together with the header");
    }
    if (given != null || inHeaders || body == null) {
      return given;
    }
    if (kept.keepsBody()) {
      return kept.contentType();
    }
    return target.has("body")
        ? "application/json"
        : target.has("text") ? "text/plain; charset=utf-8" : "application/octet-stream";
  }

  private static WebhookCall.Retry retry(Members all) {
    Members retry = all.object("retry");
    if (retry == null) {
      return WebhookCall.Retry.DEFAULT;
    }
    retry.only(KNOWN_RETRY);
    WebhookCall.Retry defaults = WebhookCall.Retry.DEFAULT;
    Integer maxAttempts = retry.integer("maxAttempts");
    if (maxAttempts != null && (maxAttempts < 1 || maxAttempts > MAX_ATTEMPTS)) {
      throw retry.refused(
          "maxAttempts", "must be from 1 to " + MAX_ATTEMPTS + ", was " + maxAttempts);
    }
    Double multiplier = retry.number("multiplier");
    if (multiplier != null && (multiplier < 1 || multiplier > MAX_MULTIPLIER)) {
      throw retry.refused("multiplier", "must be from 1 to 100, was " + multiplier);
    }
    Duration initialDelay = delay(retry, "initialDelay");
    Duration maxDelay = delay(retry, "maxDelay");
    long initialMillis =
        initialDelay == null ? defaults.initialDelayMillis() : initialDelay.toMillis();
    long maxMillis =
        maxDelay == null ? Math.max(defaults.maxDelayMillis(), initialMillis) : maxDelay.toMillis();
    if (initialDelay != null && initialMillis > maxMillis) {
      throw retry.refused("maxDelay", "must not be shorter than 'initialDelay'");
    }
    return new WebhookCall.Retry(
        maxAttempts == null ? defaults.maxAttempts() : maxAttempts,
        Math.min(initialMillis, maxMillis),
        multiplier == null ? defaults.multiplier() : multiplier,
        maxMillis);
  }

  private static @Nullable Duration delay(Members retry, String name) {
    Duration delay = retry.duration(name);
    if (delay != null && delay.compareTo(MAX_DELAY) > 0) {
      throw retry.refused(name, "must be at most 30d, was " + delay);
    }
    return delay;
  }

  /**
   * The parts of a stored call that a change keeps: {@code url}, {@code body} and {@code
   * headers.NAME}. The API redacts secrets, so a client names the parts that it was not shown.
   *
   * @param names as in the request
   * @param headers the stored headers of these names
   */
  private record KeptParts(
      List<String> names, List<WebhookHeader> headers, @Nullable WebhookCall stored) {

    /** Reads the member {@code unchanged} of a target. */
    static KeptParts read(Members target, @Nullable WebhookCall stored) {
      List<String> names = target.texts("unchanged");
      List<WebhookHeader> headers = new ArrayList<>();
      for (int i = 0; i < names.size(); i++) {
        String name = names.get(i);
        String member = "unchanged[" + i + "]";
        if (stored == null) {
          throw target.refused(member, "requires an existing schedule: send If-Match");
        }
        if (name.startsWith(HEADER_PREFIX)) {
          List<WebhookHeader> found = named(name.substring(HEADER_PREFIX.length()), stored);
          if (found.isEmpty()) {
            throw target.refused(member, "names a header that is not stored");
          }
          headers.addAll(found);
        } else if (!name.equals(URL) && !name.equals(BODY)) {
          throw target.refused(member, "must be url, body or headers.NAME");
        }
      }
      return new KeptParts(names, headers, stored);
    }

    private static List<WebhookHeader> named(String name, WebhookCall stored) {
      return stored.headers().stream().filter(one -> one.name().equalsIgnoreCase(name)).toList();
    }

    /** The stored URL or the given one. */
    String url(Members target) {
      String given = target.text(URL);
      if (stored != null && names.contains(URL)) {
        rejectIf(given != null, target, URL);
        return stored.url();
      }
      if (given == null) {
        throw target.refused(URL, "is missing");
      }
      if (Redaction.isMasked(given)) {
        throw target.refused(URL, REDACTED);
      }
      return given;
    }

    /**
     * Rejects a redacted value for another target: a user who may change a schedule but not read
     * the value could otherwise send it to their own server.
     */
    void requireSameTarget(Members target, WebhookCall call) {
      boolean hasSecret =
          headers.stream()
              .anyMatch(one -> Redaction.header(one.name(), one.value()).equals(Redaction.HIDDEN));
      if (hasSecret && stored != null && !stored.target().equals(call.target())) {
        throw target.refused(
            "unchanged",
            "must not name a header with a redacted value if 'url' has another scheme, host or"
                + " port: send the value");
      }
    }

    boolean keepsBody() {
      return names.contains(BODY);
    }

    /** The stored body; null if there is none. */
    byte @Nullable [] body(Members target) {
      for (String other : List.of(BODY, "text", "base64")) {
        rejectIf(target.has(other), target, other);
      }
      return stored == null || stored.body() == null ? null : stored.bodyBytes();
    }

    /** The content type of the stored body. */
    @Nullable String contentType() {
      return stored == null
          ? null
          : named(CONTENT_TYPE, stored).stream().map(WebhookHeader::value).findFirst().orElse(null);
    }

    private static void rejectIf(boolean given, Members target, String member) {
      if (given) {
        throw target.refused(member, "must not be given, because it is in 'unchanged'");
      }
    }
  }
}
