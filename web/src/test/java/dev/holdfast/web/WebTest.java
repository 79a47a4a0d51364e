package dev.holdfast.web;

import static dev.holdfast.web.Application.text;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The frame of the API, mounted in an application that says nothing of its path. */
class WebTest {
  private static Application application;

  @BeforeAll
  static void start() {
    application = Application.startWithHome();
  }

  @AfterAll
  static void stop() {
    application.close();
  }

  @Test
  void theRootStaysThatOfTheApplication() throws Exception {
    assertThat(application.send(application.open("/")).body()).isEqualTo("home");
    assertThat(application.send(application.open("/own")).body()).isEqualTo("own");
    for (String path : new String[] {"/v1/instances", "/openapi.yaml", "/ui/main.js"}) {
      assertThat(application.sendUnchecked(application.request(path)).statusCode())
          .as(path)
          .isEqualTo(404);
    }
    assertThat(application.send(application.open("/holdfast/")).body()).contains("<html");
    assertThat(application.send(application.open("/holdfast/openapi.yaml")).statusCode())
        .isEqualTo(200);
  }

  @Test
  void instancesAreListed() throws Exception {
    HttpResponse<String> answer = application.send(application.request("/holdfast/v1/instances"));

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Type")).contains("application/json");
    assertThat(answer.body())
        .matches(
            "\\{\"items\":\\[\\{\"id\":\"\\d+\",\"name\":\"blue\",\"since\":\"20[^\"]+Z\",\"leaseLeft\":\"PT[^\"]+\",\"alive\":true}]}");
  }

  @Test
  void rejectsMissingToken() throws Exception {
    String path = "/holdfast/v1/instances";
    String valid = application.token();
    assertProblem(application.open(path), 401, "unauthorized");
    for (String wrong :
        new String[] {
          "Bearer wrong",
          "Basic " + valid,
          "Bearer",
          "Bearer " + valid + "x",
          "Bearer " + valid.substring(0, valid.length() - 1) + "~",
          "Bearer " + valid.substring(0, 14) + "A".repeat(43)
        }) {
      assertProblem(application.open(path).header("Authorization", wrong), 401, "unauthorized");
    }
    HttpResponse<String> answer = application.send(application.open(path));
    assertThat(answer.headers().firstValue("WWW-Authenticate"))
        .contains("Bearer realm=\"holdfast\"");
  }

  @Test
  void aPathIsGuardedHoweverItIsWritten() throws Exception {
    for (String path :
        new String[] {
          "/holdfast/%76%31/instances", "/holdfast/v1;a=b/instances", "/%68oldfast/v1/instance%73"
        }) {
      assertProblem(application.open(path), 401, "unauthorized");
    }
    assertProblem(application.open("/holdfast/v1/x/../instances"), 404, "not-found");
  }

  @Test
  void aRevokedTokenIsRefused() throws Exception {
    var made = application.tokens().make("passing");
    application.tokens().revoke(made.record().id());

    assertProblem(
        application.open("/holdfast/v1/instances").header("Authorization", "Bearer " + made.text()),
        401,
        "unauthorized");
  }

  @Test
  void whatIsNotThereIsAProblem() throws Exception {
    assertProblem(application.request("/holdfast/v1/nothing"), 404, "not-found");
    assertProblem(application.request("/holdfast/v1/"), 404, "not-found");
    HttpResponse<String> answer =
        assertProblem(
            application.request("/holdfast/v1/instances").DELETE(), 405, "method-not-allowed");
    assertThat(answer.headers().firstValue("Allow"))
        .hasValueSatisfying(allowed -> assertThat(allowed).contains("GET"));
    assertProblem(
        application.request("/holdfast/v1/instances").header("Accept", "image/png"),
        406,
        "not-acceptable");
  }

  @Test
  void aBodyThatIsNotWhatIsAskedForIsAProblem() throws Exception {
    for (String body :
        new String[] {
          "",
          "{",
          "[]",
          "7",
          "null",
          "{\"token\":",
          "{\"token\":\"a\",\"token\":\"b\"}",
          "{\"token\":{}}",
          "{\"tokn\":\"a\"}",
          "{} {}",
          "{\"a\":".repeat(150)
        }) {
      HttpResponse<String> answer = assertProblem(signIn(body), 400, "malformed-body");
      assertThat(answer.body()).doesNotContain("dev.holdfast", "tools.jackson");
    }
    assertProblem(
        application
            .open("/holdfast/v1/session")
            .header("Content-Type", "text/plain")
            .POST(text("{}")),
        415,
        "unsupported-media-type");
  }

  @Test
  void aBodyThatIsTooLargeIsAProblem() throws Exception {
    String body = "{\"token\":\"" + "x".repeat(2000) + "\"}";
    assertProblem(signIn(body), 413, "too-large");
    HttpRequest.Builder chunked =
        application
            .open("/holdfast/v1/session")
            .header("Content-Type", "application/json")
            .POST(
                BodyPublishers.ofInputStream(
                    () -> new ByteArrayInputStream(body.getBytes(StandardCharsets.UTF_8))));
    assertProblem(chunked, 413, "too-large");
  }

  @Test
  void internalErrorShowsOnlyId() throws Exception {
    HttpResponse<String> answer =
        assertProblem(application.request("/holdfast/v1/failing"), 500, "internal");

    assertThat(answer.body()).contains("\"incident\":\"").doesNotContain("secret", "Exception");
  }

  @Test
  void browsersAreKeptStrict() throws Exception {
    for (String path : new String[] {"/", "/ui/main.js", "/v1/instances", "/openapi.yaml"}) {
      var headers = application.send(application.request("/holdfast" + path)).headers();
      assertThat(headers.firstValue("Content-Security-Policy"))
          .hasValueSatisfying(policy -> assertThat(policy).startsWith("default-src 'none'"));
      assertThat(headers.firstValue("X-Content-Type-Options")).contains("nosniff");
      assertThat(headers.firstValue("Referrer-Policy")).contains("no-referrer");
    }
    assertThat(
            application
                .send(application.request("/holdfast/v1/instances"))
                .headers()
                .firstValue("Cache-Control"))
        .contains("no-store");
  }

  @Test
  void thePageIsThereUnderItsPath() throws Exception {
    HttpResponse<String> page = application.send(application.open("/holdfast/"));
    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(page.body()).contains("src=\"ui/main.js\"").doesNotContain("=\"/");
    HttpResponse<String> script = application.send(application.open("/holdfast/ui/main.js"));
    assertThat(script.statusCode()).isEqualTo(200);
    assertThat(script.headers().firstValue("Content-Type"))
        .hasValueSatisfying(type -> assertThat(type).contains("javascript"));
    HttpResponse<String> slashless = application.send(application.open("/holdfast"));
    assertThat(slashless.statusCode()).isEqualTo(302);
    assertThat(slashless.headers().firstValue("Location")).contains("holdfast/");
  }

  @Test
  void theRestOfTheApplicationIsLeftAlone() throws Exception {
    HttpResponse<String> own = application.send(application.open("/own"));
    assertThat(own.body()).isEqualTo("own");
    assertThat(own.headers().firstValue("Content-Security-Policy")).isEmpty();
    HttpResponse<String> missing = application.send(application.open("/missing"));
    assertThat(missing.statusCode()).isEqualTo(404);
    assertThat(missing.headers().firstValue("Content-Type"))
        .hasValueSatisfying(type -> assertThat(type).doesNotContain("problem"));
  }

  private static HttpRequest.Builder signIn(String body) {
    return application
        .open("/holdfast/v1/session")
        .header("Content-Type", "application/json")
        .POST(text(body));
  }

  private static HttpResponse<String> assertProblem(
      HttpRequest.Builder request, int status, String type) throws Exception {
    HttpResponse<String> answer = application.send(request);
    assertThat(answer.body()).contains("\"type\":\"urn:holdfast:problem:" + type + "\"");
    assertThat(answer.statusCode()).isEqualTo(status);
    assertThat(answer.headers().firstValue("Content-Type"))
        .hasValueSatisfying(found -> assertThat(found).startsWith("application/problem+json"));
    return answer;
  }
}
