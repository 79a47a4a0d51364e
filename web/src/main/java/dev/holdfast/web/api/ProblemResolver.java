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

/** Responds to exceptions of the API with problems, and ignores the rest of the application. */
public final class ProblemResolver implements HandlerExceptionResolver, Ordered {
  private final BiPredicate<HttpServletRequest, @Nullable Object> isApi;

  /**
   * @param isApi whether a request and its handler belong to the API
   */
  public ProblemResolver(BiPredicate<HttpServletRequest, @Nullable Object> isApi) {
    this.isApi = isApi;
  }

  @Override
  public @Nullable ModelAndView resolveException(
      HttpServletRequest request,
      HttpServletResponse response,
      @Nullable Object handler,
      Exception exception) {
    if (!isApi.test(request, handler)) {
      return null;
    }
    try {
      if (!(exception instanceof AsyncRequestNotUsableException)) {
        ProblemWriter.write(ProblemMapper.of(exception), request, response);
      }
      return new ModelAndView();
    } catch (IOException e) {
      throw new UncheckedIOException("the client closed the connection", e);
    }
  }

  @Override
  public int getOrder() {
    return HIGHEST_PRECEDENCE;
  }
}
