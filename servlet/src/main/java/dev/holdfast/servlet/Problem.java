package dev.holdfast.servlet;

import dev.holdfast.internal.Require;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An error response in {@code application/problem+json}, RFC 9457. Its type is {@code
 * urn:holdfast:problem:} and the code, which is stable. Immutable.
 *
 * @param status the status of the response
 * @param code the kind of problem, such as {@code idempotency-in-progress}
 * @param title describes the kind
 * @param detail describes this problem, for the client
 * @param extensions further members: texts, numbers and booleans
 * @param headers of the response, in addition to its content type and {@code Cache-Control:
 *     no-store}
 * @param documentation a member of that name in the body, and a {@code Link} with {@code
 *     rel="describedby"}; null for none
 */
public record Problem(
    int status,
    String code,
    String title,
    String detail,
    Map<String, Object> extensions,
    Map<String, String> headers,
    @Nullable URI documentation) {
  /** The content type of a problem. */
  public static final String CONTENT_TYPE = "application/problem+json";

  private static final String PREFIX = "urn:holdfast:problem:";

  public Problem {
    Require.between(status, 400, 599, "the status of a problem");
    Require.notBlank(code, "the code of a problem");
    Require.notNull(title, "the title of a problem");
    Require.notNull(detail, "the detail of a problem");
    extensions = Collections.unmodifiableMap(new LinkedHashMap<>(extensions));
    headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
  }

  /** A problem without extensions and headers. */
  public static Problem of(int status, String code, String title, String detail) {
    return new Problem(status, code, title, detail, Map.of(), Map.of(), null);
  }

  /** Adds a member: a text, a number or a boolean. */
  public Problem with(String member, Object value) {
    Map<String, Object> more = new LinkedHashMap<>(extensions);
    more.put(member, value);
    return new Problem(status, code, title, detail, more, headers, documentation);
  }

  /** Adds a header. */
  public Problem header(String name, String value) {
    Map<String, String> more = new LinkedHashMap<>(headers);
    more.put(name, value);
    return new Problem(status, code, title, detail, extensions, more, documentation);
  }

  /** Sets the link to the documentation; null for none. */
  public Problem documentation(@Nullable URI link) {
    return new Problem(status, code, title, detail, extensions, headers, link);
  }

  /** Adds {@code Retry-After}: seconds, rounded up, at least one. */
  public Problem retryAfter(Duration time) {
    long seconds = time.getSeconds() + (time.getNano() > 0 ? 1 : 0);
    return header("Retry-After", Long.toString(Math.max(1, seconds)));
  }

  /** The stable URI of this kind of problem. */
  public String type() {
    return PREFIX + code;
  }

  /** The exception that ends a request with this problem. */
  public ProblemException toException() {
    return new ProblemException(this);
  }

  /** The members of the JSON object, in their order. */
  public Map<String, Object> members() {
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("type", type());
    members.put("title", title);
    members.put("status", status);
    members.put("detail", detail);
    if (documentation != null) {
      members.put("documentation", documentation.toASCIIString());
    }
    members.putAll(extensions);
    return members;
  }

  /** The JSON text. */
  public String toJson() {
    StringBuilder json = new StringBuilder(128);
    char separator = '{';
    for (Map.Entry<String, Object> member : members().entrySet()) {
      json.append(separator);
      string(json, member.getKey());
      json.append(':');
      Object value = member.getValue();
      if (value instanceof Number || value instanceof Boolean) {
        json.append(value);
      } else {
        string(json, value.toString());
      }
      separator = ',';
    }
    return json.append('}').toString();
  }

  private static void string(StringBuilder json, String text) {
    json.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        json.append('\\').append(c);
      } else if (c < 0x20 || (c >= 0x7f && c <= 0x9f) || Character.isSurrogate(c) || c == '<') {
        json.append("\\u%04x".formatted((int) c));
      } else {
        json.append(c);
      }
    }
    json.append('"');
  }

  /**
   * Writes the response.
   *
   * @throws IllegalStateException if the response is committed
   */
  public void writeTo(HttpServletResponse response) throws IOException {
    byte[] body = toJson().getBytes(StandardCharsets.UTF_8);
    response.resetBuffer();
    response.setStatus(status);
    response.setHeader("Cache-Control", "no-store");
    if (documentation != null) {
      response.setHeader("Link", "<" + documentation.toASCIIString() + ">; rel=\"describedby\"");
    }
    headers.forEach(response::setHeader);
    response.setContentType(CONTENT_TYPE);
    response.setContentLength(body.length);
    response.getOutputStream().write(body);
  }
}
