package dev.holdfast.web;

import dev.holdfast.web.api.ProblemWriter;
import dev.holdfast.web.api.Problems;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * The frame of every request to what is ours: headers that keep browsers strict, a limit on the
 * body, and a problem instead of whatever else escapes.
 */
final class WebFilter extends OncePerRequestFilter {
  private static final String CONTENT_SECURITY_POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src"
          + " 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

  private final WebPaths paths;
  private final long maxRequestSize;
  private final RequestRoom room;
  private final BodyPace pace = new BodyPace();

  WebFilter(WebPaths paths, long maxRequestSize, RequestRoom room) {
    this.room = room;
    this.paths = paths;
    this.maxRequestSize = maxRequestSize;
  }

  @Override
  protected boolean shouldNotFilter(HttpServletRequest request) {
    return !paths.isOurs(request);
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException {
    response.setHeader("Content-Security-Policy", CONTENT_SECURITY_POLICY);
    response.setHeader("X-Content-Type-Options", "nosniff");
    response.setHeader("Referrer-Policy", "no-referrer");
    response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
    response.setHeader("Cross-Origin-Resource-Policy", "same-origin");
    response.setHeader("Cache-Control", paths.isApi(request) ? "no-store" : "no-cache");
    try (LimitedRequest limited = new LimitedRequest(request, maxRequestSize, room, pace)) {
      Encoding.requireValid(request, paths.isPublish(request));
      LimitedRequest.requireSize(request.getContentLengthLong(), maxRequestSize);
      chain.doFilter(limited, response);
    } catch (ServletException | RuntimeException e) {
      Throwable cause = e instanceof ServletException && e.getCause() != null ? e.getCause() : e;
      ProblemWriter.write(Problems.of(cause), request, response);
    }
  }
}
