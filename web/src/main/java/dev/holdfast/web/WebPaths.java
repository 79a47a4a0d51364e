package dev.holdfast.web;

import dev.holdfast.web.api.ApiController;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.web.method.HandlerMethod;

/** Which requests are ours, in an application that may have others. */
final class WebPaths {
  private final String root;

  /**
   * @param root the path under which all is mounted, without a slash at its end
   */
  WebPaths(String root) {
    this.root = root;
  }

  /** Whether the request is to the API, the dashboard or what belongs to them. */
  boolean isOurs(HttpServletRequest request) {
    String path = path(request);
    return isApi(request)
        || path.equals(root)
        || path.equals(root + "/")
        || path.equals(root + "/openapi.yaml")
        || path.startsWith(root + "/ui/");
  }

  /** Whether it is to the API, to what exists or does not exist there. */
  boolean isApi(HttpServletRequest request) {
    String path = path(request);
    return path.equals(root + "/v1") || path.startsWith(root + "/v1/");
  }

  /** Whether what follows in its address is that of another. */
  boolean isPublish(HttpServletRequest request) {
    return path(request).startsWith(root + "/v1/publish/");
  }

  /** Whether it is ours by its path, or by its handler, however its path may be written. */
  boolean isOurs(HttpServletRequest request, @Nullable Object handler) {
    return isOurs(request) || isOurs(handler);
  }

  static boolean isOurs(@Nullable Object handler) {
    return handler instanceof HandlerMethod method
        && AnnotatedElementUtils.hasAnnotation(method.getBeanType(), ApiController.class);
  }

  /** As the container has decoded and normalized it, without the path of the application. */
  private static String path(HttpServletRequest request) {
    String info = request.getPathInfo();
    return info == null ? request.getServletPath() : request.getServletPath() + info;
  }
}
