package dev.holdfast.web.api;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What went wrong with a request, as it is told to whoever has sent it. Immutable.
 *
 * @param status of the response
 * @param uri its {@code type}
 * @param detail of this case, for people
 * @param more further members, such as the number under which the log has more
 * @param headers further headers of the response, such as {@code Retry-After}
 */
public record Problem(
    int status,
    String uri,
    String title,
    String detail,
    Map<String, Object> more,
    Map<String, String> headers) {
  public Problem {
    more = Map.copyOf(more);
    headers = Map.copyOf(headers);
  }

  static Problem of(ProblemType type, String detail) {
    return new Problem(type.status(), type.uri(), type.title(), detail, Map.of(), Map.of());
  }

  /** One without a type of its own, which the status says all about. */
  static Problem ofStatus(int status, String title) {
    return new Problem(status, "about:blank", title, title, Map.of(), Map.of());
  }

  /** With a further member. */
  public Problem with(String member, Object value) {
    Map<String, Object> all = new LinkedHashMap<>(more);
    all.put(member, value);
    return new Problem(status, uri, title, detail, all, headers);
  }

  /** With a further header of the response. */
  public Problem header(String name, String value) {
    Map<String, String> all = new LinkedHashMap<>(headers);
    all.put(name, value);
    return new Problem(status, uri, title, detail, more, all);
  }

  /** To throw it. */
  public ProblemException exception() {
    return new ProblemException(this);
  }

  /** As JSON, for the request of this path. */
  public Map<String, Object> members(String path) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("type", uri);
    all.put("title", title);
    all.put("status", status);
    all.put("detail", detail);
    all.put("instance", path);
    all.putAll(more);
    return all;
  }
}
