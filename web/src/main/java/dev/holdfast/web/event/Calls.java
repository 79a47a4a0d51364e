package dev.holdfast.web.event;

import dev.holdfast.web.api.Json;
import dev.holdfast.web.api.Members;
import dev.holdfast.web.webhook.WebhookTask;
import dev.holdfast.webhook.InvalidCallException;
import dev.holdfast.webhook.Redaction;
import dev.holdfast.webhook.WebhookCall;
import dev.holdfast.webhook.WebhookLimits;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Reads calls from requests, and refuses those that could not be made: here they are checked by the
 * same code as when they are sent. Thread-safe.
 */
public final class Calls {
  private static final Set<String> KNOWN =
      Set.of("url", "method", "headers", "contentType", "body", "text", "base64", "unchanged");
  private static final Set<String> KNOWN_RETRY =
      Set.of("maxAttempts", "initialDelay", "multiplier", "maxDelay");
  private static final Duration TIMEOUT = Duration.ofSeconds(15);
  private static final int MAX_ATTEMPTS = 1000;
  private static final double MAX_MULTIPLIER = 100;
  private static final Duration MAX_DELAY = Duration.ofDays(30);

  private final WebhookLimits limits;

  public Calls(WebhookLimits limits) {
    this.limits = limits;
  }

  /**
   * A call, and what it counts as where calls of the same kind are limited.
   *
   * @param limitKey scheme, host and port
   */
  public record Call(WebhookTask task, String limitKey) {}

  /** The call that the members {@code target}, {@code timeout} and {@code retry} say. */
  public Call read(Members all) {
    return read(all, null);
  }

  /**
   * The same, where it changes one that is stored.
   *
   * @param stored where the parts come from that {@code target.unchanged} names; null where nothing
   *     is stored
   */
  public Call read(Members all, @Nullable WebhookTask stored) {
    Members target = all.object("target");
    if (target == null) {
      throw all.refused("target", "is missing: it says what is to be called");
    }
    target.only(KNOWN);
    Unchanged unchanged = Unchanged.read(target, stored);
    String url = unchanged.url(target);
    WebhookCall call = checked(target, "url", () -> WebhookCall.to(url));
    unchanged.requireSameTarget(target, call);
    String method = target.text("method");
    if (method != null) {
      WebhookCall before = call;
      call = checked(target, "method", () -> before.method(method.toUpperCase(Locale.ROOT)));
    }
    call = headers(call, target, unchanged);
    byte[] body = unchanged.keepsBody() ? unchanged.body(target) : body(target);
    String contentType = contentType(call, target, body, unchanged);
    if (contentType != null) {
      WebhookCall before = call;
      call = checked(target, "contentType", () -> before.header("Content-Type", contentType));
    }
    if (body != null) {
      call = call.body(body);
    }
    Duration given = all.duration("timeout");
    Duration timeout = Duration.ofMillis((given == null ? TIMEOUT : given).toMillis());
    WebhookCall untimed = call;
    WebhookCall whole = checked(all, "timeout", () -> untimed.timeout(timeout));
    checked(
        all,
        "target",
        () -> {
          limits.check(whole);
          return whole;
        });
    return new Call(task(whole, body, retry(all)), whole.target().toString());
  }

  private static WebhookTask task(
      WebhookCall call, byte @Nullable [] body, WebhookTask.Retry retry) {
    return new WebhookTask(
        call.url(),
        call.method(),
        call.headers().stream()
            .map(header -> new WebhookTask.Header(header.name(), header.value()))
            .toList(),
        body == null ? null : Base64.getEncoder().encodeToString(body),
        call.timeout().toMillis(),
        retry);
  }

  private static WebhookCall headers(WebhookCall call, Members target, Unchanged unchanged) {
    Members headers = target.object("headers");
    WebhookCall result = call;
    for (WebhookTask.Header header : unchanged.headers()) {
      if (headers != null && headers.names().stream().anyMatch(header.name()::equalsIgnoreCase)) {
        throw headers.refused(header.name(), "must not be given, it is to stay unchanged");
      }
      WebhookCall before = result;
      result = checked(target, "unchanged", () -> before.header(header.name(), header.value()));
    }
    for (String name : headers == null ? List.<String>of() : headers.names()) {
      JsonNode value = headers == null ? null : headers.any(name);
      List<String> values =
          value == null || headers == null
              ? List.of()
              : value.isArray() ? headers.texts(name) : List.of(String.valueOf(headers.text(name)));
      for (String one : values) {
        if (headers != null && Redaction.isMasked(one)) {
          throw headers.refused(name, Unchanged.MASKED);
        }
        WebhookCall before = result;
        result = checked(target, "headers", () -> before.header(name, one));
      }
    }
    return result;
  }

  /** The bytes of the body, null where there is none. */
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
    // any text can be sent, also with the character 0
    JsonNode text = target.any("text");
    if (text == null) {
      return null;
    }
    if (!text.isString()) {
      throw target.refused("text", "must be a string");
    }
    return Utf8.bytes(text.stringValue())
        .orElseThrow(() -> target.refused("text", "must not contain single surrogates"));
  }

  private static byte[] json(JsonNode body, Members target) {
    if (isDeeperThan(TargetView.DEEPEST, body)) {
      throw target.refused(
          "body", "must have at most " + TargetView.DEEPEST + " levels; send it as 'text'");
    }
    // they would be written as question marks
    if (!isWhole(body)) {
      throw target.refused("body", "must not contain single surrogates");
    }
    return Json.bytes(body);
  }

  /** Whether all its texts can be written; names that cannot are refused when they are read. */
  private static boolean isWhole(JsonNode node) {
    return node.isString()
        ? Utf8.bytes(node.stringValue()).isPresent()
        : node.values().stream().allMatch(Calls::isWhole);
  }

  private static boolean isDeeperThan(int most, JsonNode node) {
    return most < 0 || node.values().stream().anyMatch(inner -> isDeeperThan(most - 1, inner));
  }

  private static @Nullable String contentType(
      WebhookCall call, Members target, byte @Nullable [] body, Unchanged unchanged) {
    boolean inHeaders =
        call.headers().stream().anyMatch(header -> header.name().equalsIgnoreCase("content-type"));
    String given = target.text("contentType");
    if (given != null && inHeaders) {
      throw target.refused("contentType", "must not be given together with the header");
    }
    if (given != null || inHeaders || body == null) {
      return given;
    }
    if (unchanged.keepsBody()) {
      return unchanged.contentType();
    }
    return target.has("body")
        ? "application/json"
        : target.has("text") ? "text/plain; charset=utf-8" : "application/octet-stream";
  }

  private static WebhookTask.Retry retry(Members all) {
    Members retry = all.object("retry");
    if (retry == null) {
      return WebhookTask.Retry.STANDARD;
    }
    retry.only(KNOWN_RETRY);
    WebhookTask.Retry standard = WebhookTask.Retry.STANDARD;
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
        initialDelay == null ? standard.initialDelayMillis() : initialDelay.toMillis();
    long maxMillis =
        maxDelay == null ? Math.max(standard.maxDelayMillis(), initialMillis) : maxDelay.toMillis();
    if (initialDelay != null && initialMillis > maxMillis) {
      throw retry.refused("maxDelay", "must not be shorter than 'initialDelay'");
    }
    return new WebhookTask.Retry(
        maxAttempts == null ? standard.maxAttempts() : maxAttempts,
        Math.min(initialMillis, maxMillis),
        multiplier == null ? standard.multiplier() : multiplier,
        maxMillis);
  }

  private static @Nullable Duration delay(Members retry, String name) {
    Duration delay = retry.duration(name);
    if (delay != null && delay.compareTo(MAX_DELAY) > 0) {
      throw retry.refused(name, "must be at most 30d, was " + delay);
    }
    return delay;
  }

  private static <T> T checked(Members members, String name, Supplier<T> step) {
    try {
      return step.get();
    } catch (InvalidCallException e) {
      throw members.refused(name, String.valueOf(e.getMessage()));
    }
  }
}
