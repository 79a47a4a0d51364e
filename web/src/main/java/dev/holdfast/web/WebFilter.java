package dev.holdfast.web;

import dev.holdfast.web.api.ProblemMapper;
import dev.holdfast.web.api.ProblemWriter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Adds security headers to all responses of the API and the dashboard, limits request bodies, and
 * converts exceptions to problems.
 */
final class WebFilter extends OncePerRequestFilter {
  private static final String CONTENT_SECURITY_POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src"
          + " 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

  private final WebPaths paths;
  private final long maxRequestSize;
  private final BodyMemory room;
  private final BodyTimeout pace = new BodyTimeout();

  WebFilter(WebPaths paths, long maxRequestSize, BodyMemory room) {
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
      UrlEncodingCheck.requireValid(request, paths.isPublish(request));
      LimitedRequest.requireSize(request.getContentLengthLong(), maxRequestSize);
      chain.doFilter(limited, response);
    } catch (ServletException | RuntimeException e) {
      Throwable cause = e instanceof ServletException && e.getCause() != null ? e.getCause() : e;
      ProblemWriter.write(ProblemMapper.of(cause), request, response);
    }
  }
}
