package dev.holdfast.client;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A request to schedule a webhook: an HTTP call that the service makes.
 *
 * <pre>{@code
 * WebhookRequest.post("https://example.org/hooks").json("{\"user\":42}").at(nine).key("birthday-42")
 * }</pre>
 *
 * <p><b>Defaults:</b> due now, in the queue {@code default}, with the retry policy of the service.
 *
 * <p>The service validates the request when it is scheduled. Immutable and thread-safe: every
 * method returns a copy.
 */
public final class WebhookRequest {
  private static final String TARGET = "target";

  private final @Nullable String key;
  private final Map<String, Object> members;

  private WebhookRequest(@Nullable String key, Map<String, Object> members) {
    this.key = key;
    this.members = members;
  }

  /** A {@code POST} to this URL. */
  public static WebhookRequest post(String url) {
    return of("POST", url);
  }

  /** A request with this method, such as {@code PUT}, to this URL. */
  public static WebhookRequest of(String method, String url) {
    Map<String, Object> target = new LinkedHashMap<>();
    target.put("url", URI.create(url).toString());
    target.put("method", Objects.requireNonNull(method, "method"));
    return new WebhookRequest(null, Map.of(TARGET, target));
  }

  /** With this body, as {@code application/json}. */
  public WebhookRequest json(String json) {
    return body("text", Objects.requireNonNull(json, "json"), "application/json");
  }

  /** With this body. */
  public WebhookRequest body(byte[] body, String contentType) {
    return body("base64", Base64.getEncoder().encodeToString(body), contentType);
  }

  private WebhookRequest body(String how, String body, String contentType) {
    Map<String, Object> target = target();
    target.remove("text");
    target.remove("base64");
    target.put(how, body);
    target.put("contentType", Objects.requireNonNull(contentType, "contentType"));
    return with(TARGET, target);
  }

  /** With this header, in addition to headers of the same name. */
  public WebhookRequest header(String name, String value) {
    Map<String, Object> target = target();
    Map<String, Object> headers = new LinkedHashMap<>(members(target.get("headers")));
    List<Object> values = new ArrayList<>();
    if (headers.get(name) instanceof List<?> before) {
      values.addAll(before);
    }
    values.add(Objects.requireNonNull(value, "value"));
    headers.put(Objects.requireNonNull(name, "name"), List.copyOf(values));
    target.put("headers", headers);
    return with(TARGET, target);
  }

  /** Due at this time. */
  public WebhookRequest at(Instant time) {
    return without("delay").with("at", time.toString());
  }

  /** Due after this delay, by the clock of the database of the service. */
  public WebhookRequest delay(Duration delay) {
    return without("at").with("delay", delay.toString());
  }

  /**
   * Deduplication key: repeated requests with this key create one event. If no key is given, the
   * client chooses a random one, so that it can retry its own request.
   */
  public WebhookRequest key(String key) {
    return new WebhookRequest(Objects.requireNonNull(key, "key"), members);
  }

  /** Maximum number of attempts. */
  public WebhookRequest maxAttempts(int maxAttempts) {
    return with("retry", Map.of("maxAttempts", maxAttempts));
  }

  /** Timeout of one attempt. */
  public WebhookRequest timeout(Duration timeout) {
    return with("timeout", timeout.toString());
  }

  /** The event is cancelled if it has not started by this time. */
  public WebhookRequest deadline(Instant time) {
    return with("deadline", time.toString());
  }

  public WebhookRequest queue(String queue) {
    return with("queue", queue);
  }

  /** From 0 to 9. Among due events, a higher priority runs first. */
  public WebhookRequest priority(int priority) {
    return with("priority", priority);
  }

  /** Events with the same ordering key run one at a time, in due order. */
  public WebhookRequest orderingKey(String orderingKey) {
    return with("orderingKey", orderingKey);
  }

  /** Labels to filter by. */
  public WebhookRequest tags(String... tags) {
    return with("tags", List.of(tags));
  }

  @Nullable String key() {
    return key;
  }

  String toJson() {
    return Json.write(members);
  }

  private Map<String, Object> target() {
    return new LinkedHashMap<>(members(members.get(TARGET)));
  }

  @SuppressWarnings("unchecked") // only this class writes it
  private static Map<String, Object> members(@Nullable Object value) {
    return value == null ? Map.of() : (Map<String, Object>) value;
  }

  private WebhookRequest with(String name, Object value) {
    Map<String, Object> changed = new LinkedHashMap<>(members);
    changed.put(name, Objects.requireNonNull(value, name));
    return new WebhookRequest(key, changed);
  }

  private WebhookRequest without(String name) {
    Map<String, Object> changed = new LinkedHashMap<>(members);
    changed.remove(name);
    return new WebhookRequest(key, changed);
  }

  @Override
  public String toString() {
    Map<String, Object> target = target();
    return target.get("method") + " " + target.get("url");
  }
}
