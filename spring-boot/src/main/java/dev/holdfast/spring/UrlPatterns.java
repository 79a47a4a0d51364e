package dev.holdfast.spring;

import dev.holdfast.internal.Require;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;

/**
 * Paths in the patterns of servlets: {@code /orders}, {@code /orders/*}, which {@code /orders}
 * matches too, and {@code *.pdf}.
 */
record UrlPatterns(List<String> patterns) {
  static UrlPatterns of(List<String> patterns) {
    for (String pattern : patterns) {
      Require.that(
          pattern.startsWith("/") || pattern.startsWith("*."),
          "a URL pattern must begin with / or *., was '" + pattern + "'");
    }
    return new UrlPatterns(List.copyOf(patterns));
  }

  /** Whether one of them matches the path, as the container has decoded it. */
  boolean match(HttpServletRequest request) {
    String further = request.getPathInfo();
    String path = request.getServletPath() + (further == null ? "" : further);
    return patterns.stream().anyMatch(pattern -> matches(pattern, path));
  }

  private static boolean matches(String pattern, String path) {
    if (pattern.startsWith("*.")) {
      return path.endsWith(pattern.substring(1));
    }
    if (pattern.endsWith("/*")) {
      String folder = pattern.substring(0, pattern.length() - 2);
      return path.equals(folder) || path.startsWith(folder + "/");
    }
    return path.equals(pattern);
  }
}
