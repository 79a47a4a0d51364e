package dev.holdfast.web.api;

import dev.holdfast.servlet.Problem;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.web.util.WebUtils;

/** Writes problems of the API, with the path of the request. */
public final class ProblemWriter {
  private ProblemWriter() {}

  /** No effect if the response is committed. */
  public static void write(
      Problem problem, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    if (response.isCommitted()) {
      return;
    }
    Problem shown = problem.with("instance", path(request));
    // the rest of an unread body is not waited for
    (hasUnreadBody(request) ? shown.header("Connection", "close") : shown).writeTo(response);
    response.flushBuffer();
  }

  private static boolean hasUnreadBody(HttpServletRequest request) {
    if (request.getContentLengthLong() <= 0 && request.getHeader("Transfer-Encoding") == null) {
      return false;
    }
    try {
      return !request.getInputStream().isFinished();
    } catch (IOException | IllegalStateException e) {
      return true;
    }
  }

  /** The path of the original request, also if the container forwarded it to an error page. */
  private static String path(HttpServletRequest request) {
    Object forwarded = request.getAttribute(WebUtils.ERROR_REQUEST_URI_ATTRIBUTE);
    return forwarded instanceof String original ? original : request.getRequestURI();
  }
}
