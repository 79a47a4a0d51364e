package dev.holdfast.web.access;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * The authenticated sender of a request.
 *
 * @param csrf the CSRF token that changes require; null without a session
 */
public record Caller(TokenRecord token, @Nullable String csrf) {
  private static final String ATTRIBUTE = Caller.class.getName();

  /** The caller of an authenticated request. */
  public static Caller of(HttpServletRequest request) {
    if (request.getAttribute(ATTRIBUTE) instanceof Caller caller) {
      return caller;
    }
    throw new IllegalStateException("the request is not authenticated");
  }

  /** Whether a request is authenticated. */
  public static boolean isKnown(HttpServletRequest request) {
    return request.getAttribute(ATTRIBUTE) instanceof Caller;
  }

  void remember(HttpServletRequest request) {
    request.setAttribute(ATTRIBUTE, this);
  }
}
