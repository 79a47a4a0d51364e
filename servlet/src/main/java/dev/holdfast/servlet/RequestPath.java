package dev.holdfast.servlet;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Locale;

/** The path of a request as the container understands it, however its sender spells it. */
final class RequestPath {
  private static final String SESSION = "jsessionid=";

  private RequestPath() {}

  /** Decoded, normal, and without parameters. */
  static String of(HttpServletRequest request) {
    String info = request.getPathInfo();
    return request.getServletContext().getContextPath()
        + request.getServletPath()
        + (info == null ? "" : info);
  }

  /** How much deeper a segment leads. */
  private static int depth(String segment) {
    return switch (segment) {
      case "", "." -> 0;
      case ".." -> -1;
      default -> 1;
    };
  }

  /** The parameters of the path, which an application may look at, but for that of the session. */
  static String parameters(HttpServletRequest request) {
    StringBuilder parameters = new StringBuilder();
    int depth = 0;
    for (String segment : request.getRequestURI().split("/", -1)) {
      String[] pieces = segment.split(";", -1);
      depth += depth(pieces[0]);
      for (int i = 1; i < pieces.length; i++) {
        if (!pieces[i].isEmpty() && !pieces[i].toLowerCase(Locale.ROOT).startsWith(SESSION)) {
          parameters.append(depth).append(';').append(pieces[i]);
        }
      }
    }
    return parameters.toString();
  }
}
