package dev.holdfast.web.api;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.springframework.web.util.WebUtils;

/** Answers a request with a problem. */
public final class ProblemWriter {
  private ProblemWriter() {}

  /** Does nothing where an answer is on its way already. */
  public static void write(
      Problem problem, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    if (response.isCommitted()) {
      return;
    }
    response.resetBuffer();
    response.setStatus(problem.status());
    problem.headers().forEach(response::setHeader);
    if (hasUnreadBody(request)) {
      // the rest of the body is not waited for
      response.setHeader("Connection", "close");
    }
    response.setHeader("Cache-Control", "no-store");
    response.setContentType("application/problem+json");
    response.setCharacterEncoding(StandardCharsets.UTF_8);
    response.getOutputStream().write(Json.bytes(problem.members(path(request))));
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

  /** Of the original request, also where the container has forwarded it to a page of errors. */
  private static String path(HttpServletRequest request) {
    Object forwarded = request.getAttribute(WebUtils.ERROR_REQUEST_URI_ATTRIBUTE);
    return forwarded instanceof String original ? original : request.getRequestURI();
  }
}
