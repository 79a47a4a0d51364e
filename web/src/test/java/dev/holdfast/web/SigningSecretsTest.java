package dev.holdfast.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The signing secrets by the API. */
class SigningSecretsTest {
  private static final String PATH = "/v1/signing-secrets";
  private static final Pattern SECRET =
      Pattern.compile(
          "\\{\"id\":\"(\\w+)\",\"createdAt\":\"20[^\"]+Z\",\"signs\":true,\"secret\":\"(whsec_[^\"]{44})\"}");
  private static Application application;

  @BeforeAll
  static void start() {
    application = Application.start();
  }

  @AfterAll
  static void stop() {
    application.close();
  }

  @Test
  void firstSecretIsShownOnDemand() throws Exception {
    HttpResponse<String> list = send(application.request(PATH), 200);
    assertThat(list.body())
        .contains("{\"id\":\"first\",\"createdAt\":\"", "\"signs\":true}")
        .doesNotContain("whsec_");
    assertThat(send(application.request(PATH + "/first"), 200).body()).matches(SECRET);
  }

  @Test
  void lastSecretCannotBeDeleted() throws Exception {
    HttpResponse<String> made = send(application.request(PATH).POST(BodyPublishers.noBody()), 201);
    Matcher secret = SECRET.matcher(made.body());
    assertThat(secret.matches()).isTrue();
    String id = secret.group(1);
    assertThat(send(application.request(PATH + "/" + id), 200).body()).isEqualTo(made.body());

    send(application.request(PATH + "/" + id).DELETE(), 204);
    send(application.request(PATH + "/" + id), 404);
    HttpResponse<String> last = send(application.request(PATH + "/first").DELETE(), 409);
    assertThat(last.body()).contains("urn:holdfast:problem:conflict", "create another one");
    send(application.request(PATH + "/first"), 200);
  }

  @Test
  void rejectsInvalidAllowedTarget() {
    assertThatThrownBy(() -> Application.start("holdfast.web.webhook.allow=http://x/"))
        .hasStackTraceContaining(
            "a target to allow must be a block such as 10.1.0.0/16, an address or a name, was"
                + " 'http://x/'");
  }

  @Test
  void whatIsNotThereIsNotFound() throws Exception {
    for (String id : new String[] {"x", "%27%20or%201=1", "f".repeat(500)}) {
      assertThat(send(application.request(PATH + "/" + id), 404).body()).contains("not-found");
      send(application.request(PATH + "/" + id).DELETE(), 404);
    }
    send(application.request(PATH).DELETE(), 405);
  }

  @Test
  void rejectsRequestsWithoutToken() throws Exception {
    send(application.open(PATH), 401);
    send(application.open(PATH + "/first"), 401);
    send(application.open(PATH).POST(BodyPublishers.noBody()), 401);
    send(application.open(PATH + "/first").DELETE(), 401);
  }

  private static HttpResponse<String> send(HttpRequest.Builder request, int status)
      throws IOException, InterruptedException {
    HttpResponse<String> answer = application.send(request);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    return answer;
  }
}
