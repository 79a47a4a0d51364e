package dev.holdfast.web.access;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * Who has sent a request, and how it was shown.
 *
 * @param token whose it is
 * @param csrf what changes must be sent with, where it was shown by the cookie of a session; else
 *     null
 */
public record Caller(TokenRecord token, @Nullable String csrf) {
  private static final String ATTRIBUTE = Caller.class.getName();

  /** The caller of a request that has passed. */
  public static Caller of(HttpServletRequest request) {
    if (request.getAttribute(ATTRIBUTE) instanceof Caller caller) {
      return caller;
    }
    throw new IllegalStateException("a request must have passed the access check, has not");
  }

  /** Whether a request has passed. */
  public static boolean isKnown(HttpServletRequest request) {
    return request.getAttribute(ATTRIBUTE) instanceof Caller;
  }

  void remember(HttpServletRequest request) {
    request.setAttribute(ATTRIBUTE, this);
  }
}
