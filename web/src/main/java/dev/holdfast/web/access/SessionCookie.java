package dev.holdfast.web.access;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseCookie;
import org.springframework.web.util.WebUtils;

/** The cookie of a session; scripts cannot read it. */
public final class SessionCookie {
  private static final String NAME = "holdfast_session";

  private final String path;

  /**
   * @param path under which the API is mounted in the application; the cookie is sent there only
   */
  public SessionCookie(String path) {
    this.path = path;
  }

  @Nullable String read(HttpServletRequest request) {
    Cookie cookie = WebUtils.getCookie(request, NAME);
    return cookie == null ? null : cookie.getValue();
  }

  /** A length of zero deletes the cookie. */
  String header(HttpServletRequest request, String value, Duration length) {
    return ResponseCookie.from(NAME, value)
        .path(request.getContextPath() + path + "/")
        .httpOnly(true)
        .sameSite("Strict")
        .secure(request.isSecure())
        .maxAge(length)
        .build()
        .toString();
  }
}
