package dev.holdfast.server;

import dev.holdfast.web.access.Access;
import dev.holdfast.web.api.ProblemMapper;
import dev.holdfast.web.api.ProblemWriter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Gives the metrics to callers with a token. Where a request comes from says nothing: behind a
 * proxy on this machine all of them come from here.
 */
final class MetricsFilter extends OncePerRequestFilter {
  private final Access access;

  MetricsFilter(Access access) {
    this.access = access;
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    try {
      access.require(request);
    } catch (RuntimeException e) {
      ProblemWriter.write(ProblemMapper.of(e), request, response);
      return;
    }
    chain.doFilter(request, response);
  }
}
