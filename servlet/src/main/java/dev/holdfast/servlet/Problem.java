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
 * What went wrong, as {@code application/problem+json} of RFC 9457 tells it. Its type is {@code
 * urn:holdfast:problem:} and the code, which is stable. Immutable.
 *
 * @param status of the response
 * @param code names the kind of problem, such as {@code idempotency-in-progress}
 * @param title says what kind that is
 * @param detail what it was this time, for whoever has asked
 * @param headers of the response, beside its content type and {@code Cache-Control: no-store}
 * @param documentation where to read about it: a member of that name in the body, and a {@code
 *     Link} with {@code rel="describedby"}; null for nowhere
 */
public record Problem(
    int status,
    String code,
    String title,
    String detail,
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
    headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
  }

  /** One without headers of its own. */
  public static Problem of(int status, String code, String title, String detail) {
    return new Problem(status, code, title, detail, Map.of(), null);
  }

  /** The same with a header. */
  public Problem header(String name, String value) {
    Map<String, String> more = new LinkedHashMap<>(headers);
    more.put(name, value);
    return new Problem(status, code, title, detail, more, documentation);
  }

  /** The same with a link to where one can read about it; null for none. */
  public Problem documentation(@Nullable URI link) {
    return new Problem(status, code, title, detail, headers, link);
  }

  /** The same with {@code Retry-After}: whole seconds, rounded up, at least one. */
  public Problem retryAfter(Duration time) {
    long seconds = time.getSeconds() + (time.getNano() > 0 ? 1 : 0);
    return header("Retry-After", Long.toString(Math.max(1, seconds)));
  }

  /** The stable URI of this kind of problem. */
  public String type() {
    return PREFIX + code;
  }

  /** To be thrown. */
  public ProblemException toException() {
    return new ProblemException(this);
  }

  /** Its text. */
  public String toJson() {
    StringBuilder json = new StringBuilder(128);
    json.append("{\"type\":");
    string(json, type());
    json.append(",\"title\":");
    string(json, title);
    json.append(",\"status\":").append(status).append(",\"detail\":");
    string(json, detail);
    if (documentation != null) {
      json.append(",\"documentation\":");
      string(json, documentation.toASCIIString());
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
   * Answers with it.
   *
   * @throws IllegalStateException where the response is committed
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
