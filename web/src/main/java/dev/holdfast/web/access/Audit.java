package dev.holdfast.web.access;

import dev.holdfast.web.api.LogRateLimit;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The audit log, with the logger name {@code dev.holdfast.audit}: sign-ins, created and revoked
 * tokens, and actions of operators. A line has the name of the token, never the token. If there are
 * too many lines per minute, the others are only counted. Thread-safe.
 */
public final class Audit {
  static final int MAX_REFUSALS = 10;

  private static final Logger LOG = LoggerFactory.getLogger("dev.holdfast.audit");
  private static final Duration PERIOD = Duration.ofMinutes(1);
  private static final int MAX_ACTIONS = 600;
  private static final String DETAIL = Audit.class.getName() + ".detail";

  private final LogRateLimit refusals = new LogRateLimit(MAX_REFUSALS, PERIOD);
  private final LogRateLimit actions = new LogRateLimit(MAX_ACTIONS, PERIOD);

  void signedIn(HttpServletRequest request, TokenRecord token) {
    LOG.info("access-signed-in: '{}' from {}", token.name(), request.getRemoteAddr());
  }

  void signedOut(HttpServletRequest request, TokenRecord token) {
    LOG.info("access-signed-out: '{}' from {}", token.name(), request.getRemoteAddr());
  }

  /** Logs an invalid token or session. */
  void refused(HttpServletRequest request, String what) {
    refusals.take(
        leftOut ->
            LOG.warn(
                "access-denied: rejected a {} from {}, invalid token; responded 401{}",
                what,
                request.getRemoteAddr(),
                more(leftOut)));
  }

  /** Logs an action of an operator, once it has ended. */
  public void acted(HttpServletRequest request, int status) {
    Caller caller = Caller.of(request);
    Object detail = request.getAttribute(DETAIL);
    actions.take(
        leftOut ->
            LOG.info(
                "access-action: '{}' from {}: {} {} -> {}{}{}",
                caller.token().name(),
                request.getRemoteAddr(),
                request.getMethod(), // as it was sent, so without line breaks
                request.getRequestURI(),
                status,
                detail == null ? "" : " (" + detail + ")",
                more(leftOut)));
  }

  /** Adds details to the line of an action. */
  public static void detail(HttpServletRequest request, String text) {
    request.setAttribute(DETAIL, text);
  }

  static void made(TokenRecord token) {
    LOG.info("access-token-created: token '{}' ({})", token.name(), token.id());
  }

  static void revoked(String id) {
    LOG.info("access-token-revoked: token {} and its sessions", id);
  }

  private static String more(long leftOut) {
    return leftOut == 0 ? "" : "; " + leftOut + " more were not logged before this one";
  }
}
