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
 * An HTTP call that the service is to make: to where, with what, and when.
 *
 * <pre>{@code
 * Call.post("https://example.org/hooks").json("{\"user\":42}").at(nineOClock).key("birthday-42")
 * }</pre>
 *
 * <p>By default due at once, in the queue {@code default}, repeated as the service does by default
 * until it is answered with 2xx. What the service does not accept it refuses when the call is
 * scheduled. Immutable and thread-safe: every setting makes a copy.
 */
public final class WebhookRequest {
  private static final String TARGET = "target";

  private final @Nullable String key;
  private final Map<String, Object> members;

  private WebhookRequest(@Nullable String key, Map<String, Object> members) {
    this.key = key;
    this.members = members;
  }

  /** A POST to this address. */
  public static WebhookRequest post(String url) {
    return to("POST", url);
  }

  /** A request of any method, such as {@code PUT}, to this address. */
  public static WebhookRequest to(String method, String url) {
    Map<String, Object> target = new LinkedHashMap<>();
    target.put("url", URI.create(url).toString());
    target.put("method", Objects.requireNonNull(method, "method"));
    return new WebhookRequest(null, Map.of(TARGET, target));
  }

  /** With this text as its body, as {@code application/json}. */
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

  /** With another header; one of the same name is kept beside it. */
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
    return without("after").with("at", time.toString());
  }

  /** Due after this time, by the clock of the service's database. */
  public WebhookRequest after(Duration delay) {
    return without("at").with("after", delay.toString());
  }

  /**
   * Makes scheduling idempotent: of all calls with this key one is scheduled. Without it the client
   * chooses a random one, so that a request may be repeated when its answer was lost.
   */
  public WebhookRequest key(String key) {
    return new WebhookRequest(Objects.requireNonNull(key, "key"), members);
  }

  /** How often it is attempted in all, at most. */
  public WebhookRequest attempts(int most) {
    return with("retry", Map.of("attempts", most));
  }

  /** How long one attempt may take. */
  public WebhookRequest timeout(Duration limit) {
    return with("timeout", limit.toString());
  }

  /** From this time on it is useless, and is cancelled where it has not begun. */
  public WebhookRequest deadline(Instant time) {
    return with("deadline", time.toString());
  }

  public WebhookRequest queue(String queue) {
    return with("queue", queue);
  }

  /** From 0 to 9; of those that are due, a higher one goes first. */
  public WebhookRequest priority(int priority) {
    return with("priority", priority);
  }

  /** Calls with the same ordering key are made one at a time, in due order. */
  public WebhookRequest orderingKey(String orderingKey) {
    return with("orderingKey", orderingKey);
  }

  /** Words to find it by. */
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

  @SuppressWarnings("unchecked") // this class alone has put it there
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
