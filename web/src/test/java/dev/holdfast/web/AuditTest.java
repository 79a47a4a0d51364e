package dev.holdfast.web;

import static dev.holdfast.web.Application.text;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.web.api.ProblemMapper;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who has done what is in the log, once. */
class AuditTest {
  private static final String SCHEDULE =
      "{\"recurrence\":\"daily 09:00 in UTC\",\"target\":{\"url\":\"https://example.com/x\"}}";

  private final ByteArrayOutputStream written = new ByteArrayOutputStream();
  private final PrintStream console = System.out;
  private Application application;

  @BeforeEach
  void start() {
    application = Application.start();
    System.setOut(new PrintStream(written, true, UTF_8));
  }

  @AfterEach
  void stop() {
    System.setOut(console);
    application.close();
  }

  /** What was logged under a name that ends so. */
  private List<String> lines(String logger) {
    Pattern line = Pattern.compile(".*\\b" + Pattern.quote(logger) + " *: (.*)");
    return written
        .toString(UTF_8)
        .lines()
        .map(line::matcher)
        .filter(Matcher::matches)
        .map(found -> found.group(1))
        .toList();
  }

  private List<String> lines() {
    return lines("dev.holdfast.audit");
  }

  private HttpResponse<String> send(String method, String path, String body) throws Exception {
    return application.send(
        application
            .request(path)
            .header("Content-Type", "application/json")
            .header("If-Match", "*")
            .method(method, text(body)));
  }

  private HttpResponse<String> signIn(String token) throws Exception {
    return application.send(
        application
            .open("/v1/session")
            .header("Content-Type", "application/json")
            .POST(text("{\"token\":\"" + token + "\"}")));
  }

  private void awaitLine(String line) {
    // it is written when the answer has been sent
    Awaitility.await().untilAsserted(() -> assertThat(lines()).containsOnlyOnce(line));
  }

  @Test
  void logsOperatorActions() throws Exception {
    send("POST", "/v1/queues/mail:pause", "");
    awaitLine("access-action: 'test' from 127.0.0.1: POST /v1/queues/mail:pause -> 200");
    send("PATCH", "/v1/queues/mail", "{\"other\":1}");
    awaitLine("access-action: 'test' from 127.0.0.1: PATCH /v1/queues/mail -> 400");
    send("PUT", "/v1/schedules/nightly%0Aforged", SCHEDULE);
    awaitLine("access-action: 'test' from 127.0.0.1: PUT /v1/schedules/nightly%0Aforged -> 400");
    application.send(
        application
            .request("/v1/schedules/nightly")
            .header("Content-Type", "application/json")
            .PUT(text(SCHEDULE)));
    awaitLine("access-action: 'test' from 127.0.0.1: PUT /v1/schedules/nightly -> 201");
    send("DELETE", "/v1/schedules/nightly", "");
    awaitLine("access-action: 'test' from 127.0.0.1: DELETE /v1/schedules/nightly -> 204");
    send("PUT", "/v1/events/a", EventsApi.LATER);
    send("POST", "/v1/events/a:cancel", "{}");
    awaitLine("access-action: 'test' from 127.0.0.1: POST /v1/events/a:cancel -> 200");
    send("POST", "/v1/events:replay", "{\"filter\":{}}");
    awaitLine(
        "access-action: 'test' from 127.0.0.1: POST /v1/events:replay -> 200 (replayed 1 events)");
    application.send(application.request("/v1/queues"));
    // neither what is read nor events that are taken in
    assertThat(lines()).hasSize(7);
  }

  @Test
  void logsSignInsAndCountsFailures() throws Exception {
    signIn(application.token());
    awaitLine("access-signed-in: 'test' from 127.0.0.1");
    for (int i = 0; i < 50; i++) {
      assertThat(signIn("hf_wrong").statusCode()).isEqualTo(401);
    }
    HttpRequest.Builder wrong = application.open("/v1/queues");
    assertThat(application.send(wrong.header("Authorization", "Bearer hf_x")).statusCode())
        .isEqualTo(401);
    assertThat(lines())
        .contains("access-denied: rejected a sign-in from 127.0.0.1, invalid token; responded 401")
        .hasSizeBetween(11, 21)
        .noneMatch(line -> line.contains(application.token()) || line.contains("hf_"));
  }

  @Test
  void tokensThatAreMadeAndRevokedAreLogged() {
    var made = application.tokens().make("other");
    application.tokens().revoke(made.record().id());
    assertThat(lines())
        .containsExactly(
            "access-token-created: token 'other' (" + made.record().id() + ")",
            "access-token-revoked: token " + made.record().id() + " and its sessions");
  }

  @Test
  void logsManyFailedEventsInOneLine() throws Exception {
    String loopback =
        "{\"target\":{\"url\":\"http://127.0.0.1:1024/\"},\"retry\":{\"maxAttempts\":1}}";
    for (int i = 0; i < 20; i++) {
      assertThat(send("PUT", "/v1/events/failing-" + i, loopback).statusCode()).isEqualTo(201);
    }
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () ->
                assertThat(lines("dev.holdfast.event.Worker"))
                    .anyMatch(
                        line ->
                            line.contains(
                                " of queue 'default' failed permanently; no further retries")));
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                send("GET", "/v1/events?status=FAILED", "").body().split("\"FAILED\"", -1).length
                    == 21);
    assertThat(lines("dev.holdfast.event.Worker"))
        .filteredOn(line -> line.contains("no further retries"))
        .hasSizeLessThan(5);
  }

  /** While the database is away, every request ends with a 503. */
  @Test
  void anOutageOfTheDatabaseDoesNotFloodTheLog() {
    for (int request = 0; request < 500; request++) {
      assertThat(ProblemMapper.of(new SQLTransientConnectionException("away", "08006")).status())
          .isEqualTo(503);
    }
    assertThat(lines("ProblemMapper")).hasSizeBetween(1, 20).first().asString().contains("503");
  }
}
