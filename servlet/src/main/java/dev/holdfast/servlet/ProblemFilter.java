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
 * Answers what the application throws by a problem: a {@link ProblemException} by its own, a {@link
 * dev.holdfast.idempotency.RejectedException} by 422 with its text as the detail, a {@link
 * dev.holdfast.idempotency.KeyReusedException} by 422, and an {@link
 * dev.holdfast.idempotency.RequestInProgressException} by 409 with {@code Retry-After}; the type
 * has the code of the exception. Belongs inside of an {@link IdempotencyFilter}, so that the answer
 * is kept, but for the last one. Thread-safe.
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
      Problem problem = problemIn(e);
      if (problem == null || http.isCommitted()) {
        throw e;
      }
      headers.restore(http);
      problem.writeTo(http);
    }
  }

  /** Frameworks put what was thrown into exceptions of their own. */
  private static @Nullable Problem problemIn(Throwable thrown) {
    Throwable cause = thrown;
    for (int depth = 0; depth < DEEPEST && cause != null; depth++) {
      Problem problem = Problems.thrown(cause);
      if (problem != null) {
        return problem;
      }
      cause = cause.getCause();
    }
    return null;
  }
}
