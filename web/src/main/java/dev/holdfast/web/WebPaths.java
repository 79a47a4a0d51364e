package dev.holdfast.web;

import dev.holdfast.web.api.ApiController;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.web.method.HandlerMethod;

/** The paths of the API and the dashboard, in an application that may have others. */
final class WebPaths {
  private final String root;

  /**
   * @param root the path under which they are mounted, without a slash at its end
   */
  WebPaths(String root) {
    this.root = root;
  }

  /** Whether the request is for the API, the dashboard or their resources. */
  boolean isOurs(HttpServletRequest request) {
    String path = path(request);
    return isApi(request)
        || path.equals(root)
        || path.equals(root + "/")
        || path.equals(root + "/openapi.yaml")
        || path.startsWith(root + "/ui/");
  }

  /** Whether the request is for the API, also for a resource that does not exist. */
  boolean isApi(HttpServletRequest request) {
    String path = path(request);
    return path.equals(root + "/v1") || path.startsWith(root + "/v1/");
  }

  /** Whether the rest of the path is the URL of a target. */
  boolean isPublish(HttpServletRequest request) {
    return path(request).startsWith(root + "/v1/publish/");
  }

  /** Whether the path or the handler belongs to Holdfast. */
  boolean isOurs(HttpServletRequest request, @Nullable Object handler) {
    return isOurs(request) || isOurs(handler);
  }

  static boolean isOurs(@Nullable Object handler) {
    return handler instanceof HandlerMethod method
        && AnnotatedElementUtils.hasAnnotation(method.getBeanType(), ApiController.class);
  }

  /** The path, decoded and normalized by the container, without the context path. */
  private static String path(HttpServletRequest request) {
    String info = request.getPathInfo();
    return info == null ? request.getServletPath() : request.getServletPath() + info;
  }
}
