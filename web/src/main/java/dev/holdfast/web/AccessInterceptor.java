package dev.holdfast.web;

import dev.holdfast.web.access.Access;
import dev.holdfast.web.api.ApiController;
import dev.holdfast.web.api.Open;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;

/**
 * Asks for a token before a method of an {@link ApiController} is called, unless it is {@link
 * Open}. It goes by the handler, not by the path: however a path is written, what it leads to is
 * guarded.
 */
final class AccessInterceptor implements HandlerInterceptor {
  private final Access access;

  AccessInterceptor(Access access) {
    this.access = access;
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
}
