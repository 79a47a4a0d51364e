package dev.holdfast.web;

import static dev.holdfast.web.Application.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.event.EventType;
import dev.holdfast.webhook.WebhookCall;
import dev.holdfast.webhook.WebhookHeader;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** Queues, stats, the stream and schedules over HTTP. */
class QueuesAndSchedulesTest {
  private static final String CALL =
      "\"target\":{\"url\":\"https://example.com/x\",\"body\":{\"a\":1}}";
  private static final String NOON =
      "{\"recurrence\":{\"cron\":\"0 12 * * *\",\"zone\":\"UTC\"}," + CALL + "}";
  private static final String NINE =
      "{\"recurrence\":{\"cron\":\"0 9 * * *\",\"zone\":\"UTC\"}," + CALL + "}";

  private static Application application;

  @BeforeAll
  static void start() {
    application = Application.start();
  }

  @AfterAll
  static void stop() {
    application.close();
  }

  private static HttpResponse<String> send(
      String method, String path, String body, String... headers) throws Exception {
    HttpRequest.Builder request =
        application.request(path).header("Content-Type", "application/json");
    if (headers.length > 0) {
      request.headers(headers);
    }
    return application.send(request.method(method, text(body)));
  }

  private static String tag(HttpResponse<String> answer) {
    return answer.headers().firstValue("ETag").orElseThrow();
  }

  private static void assertProblem(HttpResponse<String> answer, int status, String type) {
    assertThat(answer.body()).contains("urn:holdfast:problem:" + type);
    assertThat(answer.statusCode()).isEqualTo(status);
  }

  @Test
  void aQueueIsPausedAndResumed() throws Exception {
    assertThat(send("POST", "/v1/queues/slow:pause", "").body()).contains("\"paused\":true");
    assertThat(send("POST", "/v1/queues/slow:pause", "").statusCode()).isEqualTo(200);
    assertThat(send("GET", "/v1/queues", "").body())
        .contains("\"name\":\"slow\",\"paused\":true,\"pending\":0");
    assertThat(send("POST", "/v1/queues/slow:resume", "").body()).contains("\"paused\":false");
  }

  /** They need no ETag, and keep to one that is given. */
  @Test
  void rejectsActionOnOtherVersion() throws Exception {
    String seen = tag(send("GET", "/v1/queues/seen", ""));
    HttpResponse<String> paused = send("POST", "/v1/queues/seen:pause", "", "If-Match", seen);
    assertThat(paused.statusCode()).isEqualTo(200);
    for (String action : List.of("pause", "resume")) {
      assertProblem(
          send("POST", "/v1/queues/seen:" + action, "", "If-Match", seen),
          412,
          "precondition-failed");
    }
    assertThat(send("GET", "/v1/queues/seen", "").body()).contains("\"paused\":true");
    assertThat(send("POST", "/v1/queues/seen:resume", "", "If-Match", tag(paused)).statusCode())
        .isEqualTo(200);

    String schedule =
        "{\"recurrence\":\"daily 09:00 in UTC\",\"target\":{\"url\":\"https://example.com/\"}}";
    HttpResponse<String> made = send("PUT", "/v1/schedules/seen", schedule);
    assertProblem(
        send("POST", "/v1/schedules/seen:trigger", "", "If-Match", "\"other\""),
        412,
        "precondition-failed");
    assertThat(send("POST", "/v1/schedules/seen:trigger", "", "If-Match", tag(made)).statusCode())
        .isEqualTo(201);
  }

  @Test
  void limitsAreChangedOnlyAsTheyWereSeen() throws Exception {
    HttpResponse<String> none = send("GET", "/v1/queues/mail", "");
    assertThat(none.statusCode()).isEqualTo(200);
    String change =
        "{\"limits\":{\"maxConcurrency\":5,\"rateLimit\":{\"count\":10,\"period\":\"1s\"}}}";
    assertProblem(send("PATCH", "/v1/queues/mail", change), 428, "precondition-required");
    HttpResponse<String> limited = send("PATCH", "/v1/queues/mail", change, "If-Match", tag(none));
    assertThat(limited.body())
        .contains(
            "\"limits\":{\"maxConcurrency\":5,\"rateLimit\":{\"count\":10,\"period\":\"PT1S\"}}");
    assertProblem(
        send("PATCH", "/v1/queues/mail", "{\"limits\":null}", "If-Match", tag(none)),
        412,
        "precondition-failed");
    HttpResponse<String> keys =
        send(
            "PATCH",
            "/v1/queues/mail",
            "{\"keyLimits\":{\"maxConcurrency\":1}}",
            "If-Match",
            tag(limited));
    assertThat(keys.body()).contains("\"keyLimits\":{\"maxConcurrency\":1}", "\"limits\":{");
    HttpResponse<String> removed =
        send(
            "PATCH",
            "/v1/queues/mail",
            "{\"limits\":null,\"keyLimits\":null}",
            "If-Match",
            tag(keys));
    assertThat(removed.body()).doesNotContain("imits");
  }

  @Test
  void wrongLimitsAndNamesAreRefused() throws Exception {
    for (String wrong :
        List.of(
            "{\"limits\":{}}",
            "{\"limits\":{\"maxConcurrency\":0}}",
            "{\"limits\":5}",
            "{\"limits\":{\"rateLimit\":{\"count\":1}}}",
            "{\"limits\":{\"rateLimit\":{\"count\":-1,\"period\":\"1s\"}}}",
            "{\"keyLimits\":{\"rateLimit\":{\"count\":1,\"period\":\"1s\"}}}",
            "{\"other\":1}")) {
      assertProblem(
          send("PATCH", "/v1/queues/wrong", wrong, "If-Match", "*"), 400, "invalid-argument");
    }
    for (String name : List.of("-x", "a%20b", "%27%3B--", "a".repeat(101), "%00")) {
      assertThat(send("GET", "/v1/queues/" + name, "").statusCode()).isEqualTo(400);
      assertThat(send("POST", "/v1/queues/" + name + ":pause", "").statusCode()).isEqualTo(400);
      assertThat(send("GET", "/v1/schedules/" + name, "").statusCode()).isEqualTo(400);
    }
  }

  @Test
  void wrongSchedulesAreRefused() throws Exception {
    for (String wrong :
        List.of(
            "",
            "[]",
            "{",
            "{" + CALL + "}",
            "{\"recurrence\":\"daily 09:00 in UTC\"}",
            "{\"recurrence\":\"sometimes\"," + CALL + "}",
            "{\"recurrence\":{\"cron\":\"0 25 * * *\",\"zone\":\"UTC\"}," + CALL + "}",
            "{\"recurrence\":{\"cron\":\"0 9 * * *\",\"zone\":\"Mars\"}," + CALL + "}",
            NOON.replace("https", "gopher"),
            NOON.replace("}}}", "}},\"misfire\":\"perhaps\"}"),
            NOON.replace("}}}", "}},\"unknown\":1}"))) {
      assertThat(send("PUT", "/v1/schedules/wrong", wrong).statusCode()).as(wrong).isEqualTo(400);
    }
    assertProblem(send("GET", "/v1/schedules/wrong", ""), 404, "not-found");
  }

  @Test
  void statsShowState() throws Exception {
    HttpResponse<String> stats = send("GET", "/v1/stats?window=1h", "");
    assertThat(stats.statusCode()).isEqualTo(200);
    assertThat(stats.body())
        .contains(
            "\"window\":\"PT1H\"",
            "\"step\":\"PT1M\"",
            "\"verdict\":{\"level\":\"ok\",\"text\":\"All events are on time\"}",
            "\"countedAt\":",
            "\"series\":[{\"at\":");
    for (String wrong : List.of("0s", "PT30S", "8d", "x", "-1h", "PT999999999H")) {
      assertProblem(send("GET", "/v1/stats?window=" + wrong, ""), 400, "invalid-argument");
    }
  }

  @Test
  void whatIsCancelledBeforeItBeginsIsCounted() throws Exception {
    for (int i = 0; i < 3; i++) {
      send("PUT", "/v1/events/cancelled-" + i, EventsApi.LATER);
      send("POST", "/v1/events/cancelled-" + i + ":cancel", "{}", "If-Match", "*");
    }
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () ->
                assertThat(send("GET", "/v1/stats?window=2h", "").body())
                    .contains("\"cancelled\":3,"));
  }

  @Test
  void theVerdictNamesATypeWithoutAHandler() throws Exception {
    try (Application own = Application.start()) {
      own.holdfast()
          .events()
          .schedule(
              EventType.of("welcome", String.class)
                  .event("a")
                  .at(Instant.now().minus(Duration.ofMinutes(5))));
      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(
              () ->
                  assertThat(own.send(own.request("/v1/stats")).body())
                      .contains("no instance has a handler for the type welcome"));
    }
  }

  @Test
  void aScheduleIsMadeChangedAsSeenAndDeleted() throws Exception {
    HttpResponse<String> made = send("PUT", "/v1/schedules/a", NOON);
    assertThat(made.statusCode()).isEqualTo(201);
    assertThat(made.body())
        .contains("\"description\":\"every day at 12:00 (UTC)\"", "\"body\":{\"a\":1}");
    assertThat(send("PUT", "/v1/schedules/a", NOON).statusCode()).isEqualTo(200);
    assertProblem(send("PUT", "/v1/schedules/a", NINE), 428, "precondition-required");
    assertProblem(
        send("PUT", "/v1/schedules/a", NINE, "If-None-Match", "*"), 412, "precondition-failed");
    HttpResponse<String> changed = send("PUT", "/v1/schedules/a", NINE, "If-Match", tag(made));
    assertThat(changed.statusCode()).isEqualTo(200);
    assertProblem(
        send("POST", "/v1/schedules/a:pause", "", "If-Match", tag(made)),
        412,
        "precondition-failed");
    HttpResponse<String> triggered = send("POST", "/v1/schedules/a:trigger", "");
    assertThat(triggered.statusCode()).isEqualTo(201);
    assertThat(triggered.body()).contains("\"event\":\"");
    HttpResponse<String> paused =
        send("POST", "/v1/schedules/a:pause", "", "If-Match", tag(changed));
    assertThat(paused.body()).contains("\"paused\":true", "\"next\":[]");
    HttpResponse<String> resumed =
        send("POST", "/v1/schedules/a:resume", "", "If-Match", tag(paused));
    assertThat(tag(resumed)).isEqualTo(tag(changed));
    assertThat(send("GET", "/v1/schedules?limit=1", "").body())
        .contains("\"name\":\"a\"")
        .doesNotContain("\"body\"");
    assertProblem(send("DELETE", "/v1/schedules/a", ""), 428, "precondition-required");
    assertThat(send("DELETE", "/v1/schedules/a", "", "If-Match", tag(resumed)).statusCode())
        .isEqualTo(204);
    assertProblem(send("GET", "/v1/schedules/a", ""), 404, "not-found");
    assertProblem(send("POST", "/v1/schedules/a:trigger", ""), 404, "not-found");
  }

  @Test
  void changeKeepsHiddenValues() throws Exception {
    String made =
        """
        {"recurrence":"daily 09:00 in UTC","target":{"url":"https://example.com/x?sig=abcdef123&page=2",
         "headers":{"X-Authorization":["Bearer super-secret","Bearer second"],"Accept":"text/csv"},
         "body":{"n":12345678901234567890,"f":1.10}}}\
        """;
    String path = "/v1/schedules/secretive";
    HttpResponse<String> shown = send("PUT", path, made);
    assertThat(shown.body())
        .contains("?sig=[redacted]&page=2", "\"redacted\":[\"url\",\"headers.X-Authorization\"]")
        .contains("\"X-Authorization\":[\"[redacted]\",\"[redacted]\"]", "\"Accept\":\"text/csv\"")
        .doesNotContain("abcdef123", "secret\"", "second");
    assertThat(send("GET", path + "?body=text", "").body())
        .contains("\"text\":\"{\\\"n\\\":12345678901234567890,\\\"f\\\":1.10}\"");

    String changed =
        """
        {"recurrence":"daily 10:00 in UTC","target":{"headers":{"Accept":"text/plain"},
         "unchanged":["url","body","headers.x-authorization"]}}\
        """;
    assertProblem(send("PUT", path, changed), 400, "invalid-argument");
    assertThat(send("PUT", path, changed, "If-Match", tag(shown)).statusCode()).isEqualTo(200);
    WebhookCall task =
        JsonMapper.shared()
            .readValue(
                application
                    .holdfast()
                    .schedules()
                    .find("secretive")
                    .orElseThrow()
                    .event()
                    .payload(),
                WebhookCall.class);
    assertThat(task.url()).isEqualTo("https://example.com/x?sig=abcdef123&page=2");
    assertThat(task.headers())
        .containsExactlyInAnyOrder(
            new WebhookHeader("X-Authorization", "Bearer super-secret"),
            new WebhookHeader("X-Authorization", "Bearer second"),
            new WebhookHeader("Accept", "text/plain"),
            new WebhookHeader("Content-Type", "application/json"));
    assertThat(new String(Base64.getDecoder().decode(task.body()), StandardCharsets.UTF_8))
        .isEqualTo("{\"n\":12345678901234567890,\"f\":1.10}");

    for (String wrong :
        List.of(
            "\"url\":\"https://example.com/x?sig=[redacted]\"",
            "\"url\":\"https://example.com/x?sig=%5Bredacted%5d\"",
            "\"url\":\"https://example.com/\",\"headers\":{\"A\":\"[redacted]\"}",
            "\"url\":\"https://example.com/\",\"headers\":{\"A\":[\"Bearer [redacted]\"]}",
            "\"url\":\"https://example.com/\",\"unchanged\":[\"url\"]",
            "\"unchanged\":[\"url\",\"body\"],\"text\":\"a\"",
            "\"unchanged\":[\"url\",\"headers.accept\"],\"headers\":{\"Accept\":\"a\"}",
            "\"unchanged\":[\"url\",\"headers.none\"]",
            "\"unchanged\":[\"url\",\"method\"]",
            "\"unchanged\":\"url\"",
            "\"unchanged\":[\"body\"]")) {
      String body = "{\"recurrence\":\"daily 10:00 in UTC\",\"target\":{" + wrong + "}}";
      assertProblem(send("PUT", path, body, "If-Match", "*"), 400, "invalid-argument");
    }
  }

  @Test
  void aHiddenHeaderIsNotSentToAnotherTarget() throws Exception {
    String path = "/v1/schedules/keeper";
    send(
        "PUT",
        path,
        """
        {"recurrence":"daily 09:00 in UTC","target":{"url":"https://example.com/x",
         "headers":{"Authorization":"Bearer super-secret","Accept":"text/csv"}}}\
        """);
    String change =
        """
        {"recurrence":"daily 09:00 in UTC","target":{"url":"%s","unchanged":["headers.%s"]}}\
        """;
    for (String other :
        List.of(
            "https://example.org/x",
            "http://example.com/x",
            "https://example.com:8443/x",
            "https://example.com.example.org/x")) {
      HttpResponse<String> refused =
          send("PUT", path, change.formatted(other, "Authorization"), "If-Match", "*");
      assertProblem(refused, 400, "invalid-argument");
      assertThat(refused.body()).contains("unchanged");
    }
    for (String[] fine :
        List.of(
            new String[] {"https://example.com/y", "Authorization"},
            new String[] {"https://EXAMPLE.com:443/z", "Authorization"})) {
      assertThat(
              send("PUT", path, change.formatted(fine[0], fine[1]), "If-Match", "*").statusCode())
          .isEqualTo(200);
    }
  }

  @Test
  void rejectsOverlappingTrigger() throws Exception {
    String skipping = NOON.replace("{\"recurrence\"", "{\"overlap\":\"skip\",\"recurrence\"");
    send(
        "PUT",
        "/v1/schedules/skipping",
        skipping.replace("\"target\"", "\"queue\":\"q\",\"target\""));
    send("POST", "/v1/queues/q:pause", "");
    assertThat(send("POST", "/v1/schedules/skipping:trigger", "").statusCode()).isEqualTo(201);
    HttpResponse<String> second = send("POST", "/v1/schedules/skipping:trigger", "");
    assertProblem(second, 409, "conflict");
    assertThat(second.body()).contains("\"event\":\"");
  }

  @Test
  void aRecurrenceIsPreviewedWithoutAnything() throws Exception {
    HttpResponse<String> preview =
        send(
            "POST",
            "/v1/schedules:preview",
            "{\"recurrence\":\"daily 09:00 in"
                + " UTC\",\"count\":2,\"after\":\"2026-01-01T00:00:00Z\"}");
    assertThat(preview.body())
        .isEqualTo(
            "{\"recurrence\":\"daily 09:00 in UTC\",\"description\":\"every day at 09:00 (UTC)\","
                + "\"next\":[\"2026-01-01T09:00:00Z\",\"2026-01-02T09:00:00Z\"]}");
    for (String wrong :
        List.of(
            "{}",
            "{\"recurrence\":\"whenever\"}",
            "{\"recurrence\":7}",
            "{\"recurrence\":{\"cron\":\"0 9 * * *\"}}",
            "{\"recurrence\":{\"cron\":\"0 9 * * *\",\"zone\":\"Mars/Base\"}}",
            "{\"recurrence\":{\"cron\":\"61 9 * * *\",\"zone\":\"UTC\"}}",
            "{\"recurrence\":{\"cron\":\"0 0 31 2 *\",\"zone\":\"UTC\"}}",
            "{\"recurrence\":\"daily 09:00 in UTC\",\"count\":0}",
            "{\"recurrence\":\"daily 09:00 in UTC\",\"count\":100000}")) {
      assertProblem(send("POST", "/v1/schedules:preview", wrong), 400, "invalid-argument");
    }
  }

  @Test
  void streamUpdatesAndEndsWithServer() throws Exception {
    Application own = Application.start();
    try {
      HttpResponse<InputStream> stream =
          HttpClient.newHttpClient()
              .send(own.request("/v1/stream").build(), HttpResponse.BodyHandlers.ofInputStream());
      assertThat(stream.statusCode()).isEqualTo(200);
      assertThat(stream.headers().firstValue("Content-Type"))
          .hasValueSatisfying(type -> assertThat(type).startsWith("text/event-stream"));
      BufferedReader lines =
          new BufferedReader(new InputStreamReader(stream.body(), StandardCharsets.UTF_8));
      assertThat(lines.readLine()).isEqualTo("event: stats");
      assertThat(lines.readLine())
          .startsWith("data: {\"at\":\"")
          .contains("\"latest\":{")
          .doesNotContain("\"series\"");

      own.send(
          own.request("/v1/queues/streamed:pause")
              .header("Content-Type", "application/json")
              .POST(text("")));
      String line = lines.readLine();
      while (!line.contains("streamed")) {
        line = lines.readLine();
      }

      long began = System.nanoTime();
      own.close();
      while (line != null) {
        line = lines.readLine();
      }
      assertThat(System.nanoTime() - began).isLessThan(10_000_000_000L);
    } finally {
      own.close();
    }
  }
}
