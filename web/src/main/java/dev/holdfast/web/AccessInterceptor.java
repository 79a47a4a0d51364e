package dev.holdfast.web;

import dev.holdfast.web.access.Access;
import dev.holdfast.web.access.Audit;
import dev.holdfast.web.api.ApiController;
import dev.holdfast.web.api.Audited;
import dev.holdfast.web.api.Open;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;

/**
 * Requires a token for the methods of an {@link ApiController} that are not {@link Open}, and logs
 * the actions of operators. It checks the handler and not the path, which can be written in many
 * ways.
 */
final class AccessInterceptor implements HandlerInterceptor {
  private final Access access;
  private final Audit audit;

  AccessInterceptor(Access access, Audit audit) {
    this.access = access;
    this.audit = audit;
  }

  @Override
  public boolean preHandle(
      HttpServletRequest request, HttpServletResponse response, Object handler) {
    if (WebPaths.isOurs(handler)
        && handler instanceof HandlerMethod method
        && !method.hasMethodAnnotation(Open.class)) {
      access.require(request);
    }
    return true;
  }

  /** Logs an action with the status of its response. */
  @Override
  public void afterCompletion(
      HttpServletRequest request,
      HttpServletResponse response,
      Object handler,
      @Nullable Exception exception) {
    if (WebPaths.isOurs(handler)
        && handler instanceof HandlerMethod method
        && method.hasMethodAnnotation(Audited.class)) {
      audit.acted(request, response.getStatus());
    }
  }
}
