package dev.holdfast.web.access;

import dev.holdfast.servlet.Problem;
import dev.holdfast.web.api.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/**
 * Authenticates requests by a token in {@code Authorization: Bearer} or by the cookie of a session.
 * With a cookie, a change also requires the CSRF token of the session in {@code X-CSRF-Token}.
 *
 * <p>A valid token is cached for some seconds, so a revoked token may still be used for that time.
 * Thread-safe.
 */
public final class Access {
  private static final long TRUSTED_NANOS = Duration.ofSeconds(5).toNanos();
  private static final int MAX_TRUSTED = 1000;
  private static final Set<String> READING = Set.of("GET", "HEAD", "OPTIONS");
  private static final String BEARER = "Bearer ";

  private final Tokens tokens;
  private final SessionCookie cookie;
  private final Audit audit;
  private final Map<String, Trusted> trusted = new ConcurrentHashMap<>();

  private record Trusted(TokenRecord token, long sinceNanos) {}

  public Access(Tokens tokens, SessionCookie cookie, Audit audit) {
    this.tokens = tokens;
    this.cookie = cookie;
    this.audit = audit;
  }

  /**
   * Authenticates a request and stores its {@link Caller}.
   *
   * @throws dev.holdfast.servlet.ProblemException if the request has no valid token
   */
  public void require(HttpServletRequest request) {
    String bearer = bearer(request);
    String session = cookie.read(request);
    if (bearer == null && session == null) {
      throw unauthorized("send a token as Authorization: Bearer").toException();
    }
    Caller caller = bearer == null ? ofSession(request, session) : ofBearer(request, bearer);
    caller.remember(request);
  }

  /**
   * The text of the token in the header {@code Authorization}; null without such a header.
   *
   * @throws dev.holdfast.servlet.ProblemException if the header has another scheme
   */
  static @Nullable String bearer(HttpServletRequest request) {
    String header = request.getHeader(HttpHeaders.AUTHORIZATION);
    if (header == null) {
      return null;
    }
    if (!header.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
      throw unauthorized("the scheme of Authorization must be Bearer").toException();
    }
    return header.substring(BEARER.length()).strip();
  }

  /** The token of this text, if it is valid. */
  public Optional<TokenRecord> verify(String text) {
    String hash = TokenText.hash(text);
    Trusted known = trusted.get(hash);
    if (known != null && System.nanoTime() - known.sinceNanos < TRUSTED_NANOS) {
      return Optional.of(known.token);
    }
    long asked = System.nanoTime();
    Optional<TokenRecord> valid = tokens.verify(text);
    if (valid.isEmpty()) {
      trusted.remove(hash);
      return valid;
    }
    if (trusted.size() >= MAX_TRUSTED) {
      trusted.clear();
    }
    trusted.put(hash, new Trusted(valid.get(), asked));
    return valid;
  }

  /** The ids of all valid tokens and sessions, from the database. */
  public Set<String> validIds() {
    return tokens.validIds();
  }

  /** Ends a session; on this instance without delay. */
  void end(TokenRecord session) {
    tokens.end(session.id());
    trusted.values().removeIf(known -> known.token.id().equals(session.id()));
  }

  NewToken begin(TokenRecord by, Duration length) {
    return tokens.beginSession(by, length);
  }

  private Caller ofBearer(HttpServletRequest request, String text) {
    return verify(text)
        .map(token -> new Caller(token, null))
        .orElseThrow(
            () -> {
              audit.refused(request, "request");
              return unauthorized("the token is not valid").toException();
            });
  }

  private Caller ofSession(HttpServletRequest request, @Nullable String session) {
    TokenRecord token =
        Optional.ofNullable(session)
            .flatMap(this::verify)
            .filter(TokenRecord::isSession)
            .orElseThrow(
                () -> unauthorized("the session has expired; sign in again").toException());
    String csrf = TokenText.csrf(String.valueOf(session));
    String sent = request.getHeader("X-CSRF-Token");
    boolean changes = !READING.contains(request.getMethod());
    if (changes && (sent == null || !TokenText.isSame(csrf, sent))) {
      throw ProblemType.CSRF
          .with("send X-CSRF-Token with the csrf member of GET v1/session")
          .toException();
    }
    return new Caller(token, csrf);
  }

  static Problem unauthorized(String detail) {
    return ProblemType.UNAUTHORIZED
        .with(detail)
        .header(HttpHeaders.WWW_AUTHENTICATE, "Bearer realm=\"holdfast\"");
  }
}
