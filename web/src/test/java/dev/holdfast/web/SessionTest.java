package dev.holdfast.web;

import static dev.holdfast.web.Application.text;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Signing in and out, with the API mounted at the root. */
class SessionTest {
  private static final Pattern CSRF = Pattern.compile("\"csrf\":\"([^\"]+)\"");
  private static Application application;

  /** What a browser keeps of a sign-in. */
  private record SignedIn(String cookie, String csrf) {}

  @BeforeAll
  static void start() {
    application = Application.start();
  }

  @AfterAll
  static void stop() {
    application.close();
  }

  @Test
  void aSessionIsAsGoodAsItsTokenUntilItEnds() throws Exception {
    SignedIn session = signIn(application.token());
    var instances = application.open("/v1/instances").header("Cookie", session.cookie);
    assertThat(application.send(instances).statusCode()).isEqualTo(200);
    var who = application.open("/v1/session").header("Cookie", session.cookie);
    assertThat(application.send(who).body()).startsWith("{\"name\":\"test\",\"csrf\":");

    var signOut =
        application
            .open("/v1/session")
            .header("Cookie", session.cookie)
            .header("X-CSRF-Token", session.csrf)
            .DELETE();
    HttpResponse<String> signedOut = application.send(signOut);
    assertThat(signedOut.statusCode()).isEqualTo(204);
    assertThat(signedOut.headers().firstValue("Set-Cookie"))
        .hasValueSatisfying(cookie -> assertThat(cookie).contains("Max-Age=0"));
    assertThat(application.send(instances).statusCode()).isEqualTo(401);
  }

  @Test
  void aTokenInTheHeaderNeedsNoBody() throws Exception {
    assertThat(postWithoutBody("Bearer " + application.token()).statusCode()).isEqualTo(201);
    assertThat(postWithoutBody("Bearer hf_wrong").statusCode()).isEqualTo(401);
    assertThat(postWithoutBody("Basic eDp5").statusCode()).isEqualTo(401);
    String session = signIn(application.token()).cookie.substring("holdfast_session=".length());
    assertThat(postWithoutBody("Bearer " + session).statusCode()).isEqualTo(401);
  }

  private static HttpResponse<String> postWithoutBody(String authorization) throws Exception {
    return application.send(
        application
            .open("/v1/session")
            .header("Content-Type", "application/json")
            .header("Authorization", authorization)
            .POST(BodyPublishers.noBody()));
  }

  @Test
  void limitsBodyWithoutToken() throws Exception {
    assertThat(post("x".repeat(5000)).statusCode()).isEqualTo(413);
  }

  @Test
  void theCookieIsForThisSiteAndNotForScripts() throws Exception {
    String cookie = post(application.token()).headers().firstValue("Set-Cookie").orElseThrow();
    assertThat(cookie)
        .startsWith("holdfast_session=hf_")
        .contains("Path=/;", "HttpOnly", "SameSite=Strict", "Max-Age=43200")
        .doesNotContain(application.token());
  }

  @Test
  void aChangeWithACookieNeedsTheCsrfToken() throws Exception {
    SignedIn session = signIn(application.token());
    for (String wrong : new String[] {"", "x", signIn(application.token()).csrf}) {
      HttpResponse<String> answer =
          application.send(
              application
                  .open("/v1/session")
                  .header("Cookie", session.cookie)
                  .header("X-CSRF-Token", wrong)
                  .DELETE());
      assertThat(answer.statusCode()).isEqualTo(403);
      assertThat(answer.body()).contains("urn:holdfast:problem:csrf");
    }
    assertThat(
            application
                .send(application.open("/v1/session").header("Cookie", session.cookie))
                .body())
        .contains(session.csrf);
  }

  @Test
  void rejectsSignInWithoutToken() throws Exception {
    assertThat(post("hf_aaaaaaaaaa_" + "A".repeat(43)).statusCode()).isEqualTo(401);
    String session = signIn(application.token()).cookie.substring("holdfast_session=".length());
    assertThat(post(session).statusCode()).isEqualTo(401);
  }

  @Test
  void aSessionEndsWithItsToken() throws Exception {
    var token = application.tokens().make("short");
    SignedIn session = signIn(token.text());
    application.tokens().revoke(token.record().id());

    assertThat(
            application
                .send(application.open("/v1/instances").header("Cookie", session.cookie))
                .statusCode())
        .isEqualTo(401);
  }

  private static SignedIn signIn(String token) throws Exception {
    HttpResponse<String> answer = post(token);
    assertThat(answer.statusCode()).isEqualTo(201);
    Matcher csrf = CSRF.matcher(answer.body());
    assertThat(csrf.find()).isTrue();
    String cookie = answer.headers().firstValue("Set-Cookie").orElseThrow();
    return new SignedIn(cookie.substring(0, cookie.indexOf(';')), csrf.group(1));
  }

  private static HttpResponse<String> post(String token) throws Exception {
    return application.send(
        application
            .open("/v1/session")
            .header("Content-Type", "application/json")
            .POST(text("{\"token\":\"" + token + "\"}")));
  }
}
