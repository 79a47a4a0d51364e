package dev.holdfast.web.access;

import dev.holdfast.web.api.ApiController;
import dev.holdfast.web.api.Json;
import dev.holdfast.web.api.Open;
import dev.holdfast.web.api.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;

/** Signs in to the dashboard with a token, and out. */
@ApiController
@RequestMapping("/v1/session")
public class SessionController {
  private static final int MAX_SIGN_IN = 4096;

  private final Access access;
  private final SessionCookie cookie;
  private final Duration length;
  private final Audit audit;

  public SessionController(Access access, SessionCookie cookie, Duration length, Audit audit) {
    this.access = access;
    this.audit = audit;
    this.cookie = cookie;
    this.length = length;
  }

  /** The body of a sign-in. */
  record SignIn(@Nullable String token) {}

  /**
   * Signs in with the token in {@code Authorization}, as the dashboard does, or in the body.
   * Without a body, a sign-in does not wait for the few threads that read bodies of unknown
   * clients. A form of another site can send neither the header nor JSON.
   */
  @Open
  @PostMapping(
      consumes = MediaType.APPLICATION_JSON_VALUE,
      produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> signIn(HttpServletRequest request) {
    String bearer = Access.bearer(request);
    TokenRecord token =
        access
            .verify(bearer == null ? inBody(request) : bearer)
            .filter(known -> !known.isSession())
            .orElseThrow(
                () -> {
                  audit.refused(request, "sign-in");
                  return Access.unauthorized("the token is not valid").toException();
                });
    NewToken session = access.begin(token, length);
    audit.signedIn(request, token);
    return withCookie(
        Json.of(HttpStatus.CREATED, members(token.name(), TokenText.csrf(session.text()))),
        cookie.header(request, session.text(), length));
  }

  private static String inBody(HttpServletRequest request) {
    String text = Json.read(request, SignIn.class, MAX_SIGN_IN).token();
    if (text == null) {
      throw ProblemType.MALFORMED_BODY.with("the member 'token' is missing").toException();
    }
    return text.strip();
  }

  @GetMapping(produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> get(HttpServletRequest request) {
    Caller caller = Caller.of(request);
    return Json.ok(members(caller.token().name(), caller.csrf()));
  }

  @DeleteMapping
  ResponseEntity<byte[]> signOut(HttpServletRequest request) {
    Caller caller = Caller.of(request);
    if (caller.token().isSession()) {
      access.end(caller.token());
      audit.signedOut(request, caller.token());
    }
    return withCookie(
        ResponseEntity.noContent().build(), cookie.header(request, "", Duration.ZERO));
  }

  private static Map<String, Object> members(String name, @Nullable String csrf) {
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("name", name);
    if (csrf != null) {
      members.put("csrf", csrf);
    }
    return members;
  }

  private static ResponseEntity<byte[]> withCookie(ResponseEntity<byte[]> answer, String cookie) {
    HttpHeaders headers = new HttpHeaders(answer.getHeaders());
    headers.set(HttpHeaders.SET_COOKIE, cookie);
    return new ResponseEntity<>(answer.getBody(), headers, answer.getStatusCode());
  }
}
