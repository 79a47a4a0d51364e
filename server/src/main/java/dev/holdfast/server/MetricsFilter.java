package dev.holdfast.server;

import dev.holdfast.web.access.Access;
import dev.holdfast.web.api.ProblemWriter;
import dev.holdfast.web.api.Problems;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.InetAddress;
import org.springframework.web.filter.OncePerRequestFilter;

/** Gives the metrics to whoever asks on this machine, and to others with a token. */
final class MetricsFilter extends OncePerRequestFilter {
  private final Access access;

  MetricsFilter(Access access) {
    this.access = access;
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    if (!isOfThisMachine(request)) {
      try {
        access.require(request);
      } catch (RuntimeException e) {
        ProblemWriter.write(Problems.of(e), request, response);
        return;
      }
    }
    chain.doFilter(request, response);
  }

  /** Behind a proxy on this machine all requests come from here: those it marks are not. */
  private static boolean isOfThisMachine(HttpServletRequest request) throws IOException {
    return InetAddress.getByName(request.getRemoteAddr()).isLoopbackAddress()
        && request.getHeader("X-Forwarded-For") == null
        && request.getHeader("Forwarded") == null;
  }
}
