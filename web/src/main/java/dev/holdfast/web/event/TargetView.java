package dev.holdfast.web.event;

import dev.holdfast.web.api.ProblemType;
import dev.holdfast.web.api.Text;
import dev.holdfast.webhook.Redaction;
import dev.holdfast.webhook.WebhookCall;
import dev.holdfast.webhook.WebhookHeader;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The call of an event in the API, without secrets. It has at most one of {@code body}, {@code
 * text} and {@code base64}: JSON if the content type is JSON and the body can be parsed, otherwise
 * text if it is UTF-8, otherwise bytes.
 *
 * @param headers a text, or a list of texts for several headers of a name
 * @param redacted the parts with {@link Redaction#HIDDEN} in place of a value: {@code url}, {@code
 *     headers.NAME}; a change may name them in {@code unchanged}
 */
public record TargetView(
    String url,
    String method,
    @Nullable Map<String, Object> headers,
    @Nullable String contentType,
    @Nullable JsonNode body,
    @Nullable String text,
    @Nullable String base64,
    @Nullable List<String> redacted) {
  /** Deeper bodies could not be part of a response. */
  static final int MAX_DEPTH = 100;

  private static final String CONTENT_TYPE = "content-type";
  private static final JsonMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).build())
                  .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                  .build())
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
          .build();

  /** Whether the parameter {@code body} of a request is {@code text}, and not {@code json}. */
  public static boolean isText(String body) {
    if (!body.equals("json") && !body.equals("text")) {
      throw ProblemType.INVALID_ARGUMENT
          .with("'body': must be json or text")
          .with("member", "body")
          .toException();
    }
    return body.equals("text");
  }

  /** URL and method only. */
  public static TargetView brief(WebhookCall task) {
    return new TargetView(
        Redaction.url(task.url()), task.method(), null, null, null, null, null, null);
  }

  /**
   * All members.
   *
   * @param bodyAsText whether a JSON body is shown as {@code text}, exactly as it is stored, for
   *     clients whose numbers are doubles
   */
  public static TargetView of(WebhookCall task, boolean bodyAsText) {
    Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    String contentType = null;
    for (WebhookHeader header : task.headers()) {
      if (header.name().toLowerCase(Locale.ROOT).equals(CONTENT_TYPE)) {
        contentType = header.value();
      } else {
        headers
            .computeIfAbsent(header.name(), ignored -> new ArrayList<>())
            .add(Redaction.header(header.name(), header.value()));
      }
    }
    Map<String, Object> shown = new LinkedHashMap<>();
    headers.forEach((name, all) -> shown.put(name, all.size() == 1 ? all.get(0) : all));
    byte[] bytes = task.body() == null ? null : Base64.getDecoder().decode(task.body());
    JsonNode body = bytes != null && !bodyAsText && isJson(contentType) ? json(bytes) : null;
    String text = bytes != null && body == null ? Text.utf8(bytes).orElse(null) : null;
    String url = Redaction.url(task.url());
    List<String> redacted = new ArrayList<>();
    if (!url.equals(task.url())) {
      redacted.add("url");
    }
    headers.forEach(
        (name, all) -> {
          if (all.contains(Redaction.HIDDEN)) {
            redacted.add("headers." + name);
          }
        });
    return new TargetView(
        url,
        task.method(),
        shown.isEmpty() ? null : shown,
        contentType,
        body,
        text,
        body == null && text == null ? task.body() : null,
        redacted.isEmpty() ? null : redacted);
  }

  private static boolean isJson(@Nullable String contentType) {
    String type =
        contentType == null ? "" : contentType.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    return type.equals("application/json") || type.endsWith("+json");
  }

  private static @Nullable JsonNode json(byte[] bytes) {
    try {
      JsonNode node = MAPPER.readTree(bytes);
      // JSON that cannot be written is not shown as JSON
      MAPPER.writeValueAsBytes(node);
      return node.isMissingNode() ? null : node;
    } catch (JacksonException e) {
      return null;
    }
  }
}
