package dev.holdfast.servlet;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Answers a {@link ProblemException} that the application throws by its problem. Belongs inside of
 * an {@link IdempotencyFilter}, so that the answer is kept. Thread-safe.
 */
public final class ProblemFilter implements Filter {
  private static final int DEEPEST = 10;

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (!(response instanceof HttpServletResponse http)) {
      chain.doFilter(request, response);
      return;
    }
    KeptHeaders headers = KeptHeaders.before(http);
    try {
      chain.doFilter(request, http);
    } catch (ServletException | RuntimeException e) {
      ProblemException problem = problemIn(e);
      if (problem == null || http.isCommitted()) {
        throw e;
      }
      headers.restore(http);
      problem.problem().send(http);
    }
  }

  /** Frameworks put what was thrown into exceptions of their own. */
  private static @Nullable ProblemException problemIn(Throwable thrown) {
    Throwable cause = thrown;
    for (int depth = 0; depth < DEEPEST && cause != null; depth++) {
      if (cause instanceof ProblemException problem) {
        return problem;
      }
      cause = cause.getCause();
    }
    return null;
  }
}
