package dev.holdfast.web.api;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.web.context.request.async.AsyncRequestNotUsableException;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/**
 * Tells exceptions of the API's own requests as problems, and leaves those of the rest of the
 * application alone.
 */
public final class ProblemResolver implements HandlerExceptionResolver, Ordered {
  private final BiPredicate<HttpServletRequest, @Nullable Object> isOurs;

  /**
   * @param isOurs whether a request, and the handler that was found for it, is of the API
   */
  public ProblemResolver(BiPredicate<HttpServletRequest, @Nullable Object> isOurs) {
    this.isOurs = isOurs;
  }

  @Override
  public @Nullable ModelAndView resolveException(
      HttpServletRequest request,
      HttpServletResponse response,
      @Nullable Object handler,
      Exception exception) {
    if (!isOurs.test(request, handler)) {
      return null;
    }
    try {
      if (!(exception instanceof AsyncRequestNotUsableException)) {
        ProblemWriter.write(Problems.of(exception), request, response);
      }
      return new ModelAndView();
    } catch (IOException e) {
      throw new UncheckedIOException("whoever sent the request does not wait for the answer", e);
    }
  }

  @Override
  public int getOrder() {
    return HIGHEST_PRECEDENCE;
  }
}
