package dev.holdfast.web;

import static dev.holdfast.web.EventsApi.LATER;
import static dev.holdfast.web.EventsApi.TARGET;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.web.EventsApi.Answer;
import dev.holdfast.webhook.WebhookCall;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Events over HTTP, on H2. */
class EventsTest {
  private static Application application;
  private static EventsApi api;

  @BeforeAll
  static void start() {
    application =
        Application.start(
            "holdfast.worker.enabled=false",
            "holdfast.schedules.enabled=false",
            "holdfast.web.max-request-size=10MB");
    api = new EventsApi(application);
  }

  @AfterAll
  static void stop() {
    application.close();
  }

  @Test
  void anEventIsPutOnceAndShown() {
    String body =
        """
        {"target":{"url":"https://example.org/hook?token=s3cretvalue&a=b","method":"put",
          "headers":{"Authorization":"Bearer s3cretvalue","X-A":"b","Accept":["c","d"]},
          "body":{"n":1.10,"big":12345678901234567890123,"x":[null,true]}},
         "at":"2040-02-29T09:00:00+01:00","timeout":"10s","retry":{"maxAttempts":3,"initialDelay":"1m"},
         "deadline":"2040-03-01T00:00:00Z","queue":"mail","priority":7,"orderingKey":"o",
         "tags":["a","b"]}
        """;
    Answer created = api.put("whole", body).is(201);
    assertThat(created.header("ETag")).isEqualTo("\"1\"");
    assertThat(created.header("Location")).isEqualTo("/v1/events/" + created.text("id"));
    assertThat(created.text("key")).isEqualTo("whole");
    assertThat(created.text("dueAt")).isEqualTo("2040-02-29T08:00:00Z");
    assertThat(created.text("timeout")).isEqualTo("PT10S");
    assertThat(created.text("queue")).isEqualTo("mail");
    assertThat(created.http().body())
        .contains("\"body\":{\"n\":1.10,\"big\":12345678901234567890123,\"x\":[null,true]}");
    assertThat(created.body().at("/target/headers/Accept").toString()).isEqualTo("[\"c\",\"d\"]");
    assertThat(created.body().at("/retry/maxAttempts").intValue()).isEqualTo(3);
    assertThat(created.http().body()).doesNotContain("s3cretvalue").contains("[redacted]");

    Answer same = api.put("whole", body).is(200);
    assertThat(same.text("id")).isEqualTo(created.text("id"));
    for (String other :
        List.of(
            body.replace("1.10", "1.2"),
            body.replace("09:00", "09:01"),
            body.replace("\"a\",\"b\"", "\"a\""),
            body.replace(":7,", ":6,"))) {
      Answer conflict = api.put("whole", other).problem(409, "conflict");
      assertThat(conflict.text("event")).isEqualTo(created.text("id"));
    }
    for (String path : List.of("whole", created.text("id"))) {
      Answer shown = api.get("/v1/events/" + path).is(200);
      assertThat(shown.body().get("attemptLog").size()).isZero();
      assertThat(shown.header("ETag")).isEqualTo(created.header("ETag"));
    }
  }

  @Test
  void anIdempotencyKeyIsTheKey() {
    String[] key = {"Idempotency-Key", "posted"};
    Answer first = api.post("/v1/events", LATER, key).is(201);
    assertThat(api.post("/v1/events", LATER, key).is(200).text("id")).isEqualTo(first.text("id"));
    assertThat(api.post("/v1/events", LATER, "Idempotency-Key", "\"posted\"").is(200).text("id"))
        .isEqualTo(first.text("id"));
    api.put("posted", LATER).is(200);
    api.post("/v1/events", TARGET, key).problem(409, "conflict");
    assertThat(api.post("/v1/events", LATER).is(201).text("id"))
        .isNotEqualTo(api.post("/v1/events", LATER).is(201).text("id"));
  }

  @Test
  void repeatedKeyIsSameAfterChange() {
    String after = "{\"target\":{\"url\":\"https://example.org/\"},\"delay\":\"1d\"}";
    Answer first = api.put("changed", after).is(201);
    api.send("PATCH", "/v1/events/changed", "{\"delay\":\"2d\",\"priority\":1}", "If-Match", "*")
        .is(200);
    api.put("changed", after).is(200);
    api.post("/v1/events/changed:cancel", null, "If-Match", "*").is(200);
    assertThat(api.put("changed", after).is(200).text("status")).isEqualTo("CANCELLED");
    assertThat(first.text("status")).isEqualTo("PENDING");
  }

  @Test
  void aChangeSaysWhichVersionItChanges() {
    String path = "/v1/events/" + api.later().text("id");
    for (String[] change :
        new String[][] {
          {"PATCH", path, "{\"priority\":1}"},
          {"POST", path + ":cancel", "{}"},
          {"POST", path + ":run", "{}"}
        }) {
      api.send(change[0], change[1], change[2]).problem(428, "precondition-required");
      Answer failed =
          api.send(change[0], change[1], change[2], "If-Match", "\"2\"")
              .problem(412, "precondition-failed");
      assertThat(failed.header("ETag")).isEqualTo("\"1\"");
      api.send(change[0], change[1], change[2], "If-Match", "W/\"1\"")
          .problem(412, "precondition-failed");
      api.send(change[0], change[1], change[2], "If-Match", "1")
          .problem(400, "invalid-argument", "If-Match");
      api.send(
              change[0], change[1].replace(path, "/v1/events/999999-0"), change[2], "If-Match", "*")
          .problem(404, "not-found");
    }
    Answer changed =
        api.send(
                "PATCH",
                path,
                "{\"at\":\"2041-01-01T00:00:00Z\",\"priority\":2}",
                "If-Match",
                "\"1\", \"9\"")
            .is(200);
    assertThat(changed.header("ETag")).isEqualTo("\"2\"");
    assertThat(changed.text("dueAt")).isEqualTo("2041-01-01T00:00:00Z");
    Answer due = api.post(path + ":run", null, "If-Match", "\"2\"").is(200);
    assertThat(due.text("dueAt")).isLessThan("2040");
    Answer cancelled =
        api.post(path + ":cancel", "{\"reason\":\"not needed\"}", "If-Match", "\"3\"").is(200);
    assertThat(cancelled.text("status")).isEqualTo("CANCELLED");
    assertThat(cancelled.text("error")).isEqualTo("not needed");
    for (String action : List.of(":cancel", ":run")) {
      Answer late = api.post(path + action, null, "If-Match", "*").problem(409, "conflict");
      assertThat(late.text("eventStatus")).isEqualTo("CANCELLED");
    }
    api.send("PATCH", path, "{\"priority\":1}", "If-Match", "*").problem(409, "conflict");
  }

  /** Older versions have kept the error of an earlier attempt. */
  @Test
  void anEventThatCompletedShowsNoError() throws SQLException {
    String id = api.put("completed-late", EventsApi.LATER).is(201).text("id");
    api.post("/v1/events/" + id + ":cancel", "{\"reason\":\"HTTP 503\"}", "If-Match", "*").is(200);
    application
        .holdfast()
        .transactions()
        .run(
            tx -> {
              try (Statement statement = tx.connection().createStatement()) {
                statement.execute(
                    "update holdfast_event_history set status = 2 where event_key ="
                        + " 'completed-late'");
              }
            });

    Answer shown = api.get("/v1/events/" + id).is(200);

    assertThat(shown.text("status")).isEqualTo("COMPLETED");
    assertThat(shown.http().body()).doesNotContain("HTTP 503");
  }

  @Test
  void aRunningEventIsAskedToStop() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CompletableFuture<Void> end = new CompletableFuture<>();
    var worker =
        application
            .holdfast()
            .worker()
            .queues(Map.of("running", 1))
            .handle(
                WebhookCall.TYPE,
                (task, context) -> {
                  begun.countDown();
                  end.join();
                })
            .start();
    try {
      String body = TARGET.replace("}}", "},\"queue\":\"running\"}");
      String path = "/v1/events/" + api.post("/v1/events", body).is(201).text("id");
      begun.await();
      Answer running = api.get(path).is(200);
      assertThat(running.text("status")).isEqualTo("PROCESSING");
      api.post(path + ":run", null, "If-Match", running.header("ETag")).problem(409, "conflict");
      Answer asked = api.post(path + ":cancel", null, "If-Match", running.header("ETag")).is(200);
      assertThat(asked.body().get("cancelRequested").booleanValue()).isTrue();
      api.post(path + ":replay", null).problem(409, "conflict");
    } finally {
      end.complete(null);
      worker.stop(Duration.ofSeconds(10));
    }
  }

  @Test
  void anEndedEventIsReplayedOnce() {
    String path = "/v1/events/" + api.later().text("id");
    Answer early = api.post(path + ":replay", null).problem(409, "conflict");
    assertThat(early.text("eventStatus")).isEqualTo("PENDING");
    api.post(path + ":cancel", null, "If-Match", "*").is(200);
    String seen = api.get(path).header("ETag");
    api.post(path + ":replay", null, "If-Match", "\"0\"").problem(412, "precondition-failed");
    Answer again = api.post(path + ":replay", null, "If-Match", seen).is(201);
    assertThat(path).endsWith(again.text("replayOf"));
    assertThat(again.header("Location")).endsWith(again.text("id"));
    Answer twice = api.post(path + ":replay", null).problem(409, "conflict");
    assertThat(twice.text("replayedAs")).isEqualTo(again.text("id"));
    api.post("/v1/events/999999-0:replay", null).problem(404, "not-found");
  }

  @Test
  void manyAreReplayedByAFilter() {
    for (int i = 0; i < 3; i++) {
      String body = LATER.replace("}}", "}}").replace("\"at\"", "\"tags\":[\"mass\"],\"at\"");
      String path = "/v1/events/" + api.post("/v1/events", body).is(201).text("id");
      api.post(path + ":cancel", null, "If-Match", "*").is(200);
    }
    String filter = "{\"filter\":{\"tag\":\"mass\",\"status\":[\"CANCELLED\"]}%s}";
    Answer dry = api.post("/v1/events:replay", filter.formatted(",\"dryRun\":true")).is(200);
    assertThat(dry.http().body()).isEqualTo("{\"count\":3,\"dryRun\":true}");
    Answer done = api.post("/v1/events:replay", filter.formatted("")).is(200);
    assertThat(done.http().body()).isEqualTo("{\"count\":3,\"dryRun\":false}");
    Answer none = api.post("/v1/events:replay", filter.formatted("")).is(200);
    assertThat(none.body().get("count").intValue()).isZero();
    api.post("/v1/events:replay", "{}").problem(400, "invalid-argument", "filter");
    api.post("/v1/events:replay", "{\"filter\":{\"status\":[\"DONE\"]}}")
        .problem(400, "invalid-argument", "filter.status");
    api.post("/v1/events:replay", "{\"filter\":{\"key\":\"a\"}}")
        .problem(400, "invalid-argument", "filter.key");
  }

  @Test
  void eventsAreListedPageByPage() {
    for (int i = 0; i < 5; i++) {
      api.put("listed-" + i, LATER.replace("\"at\"", "\"tags\":[\"listed\"],\"at\"")).is(201);
    }
    String next = "";
    int seen = 0;
    for (int page = 0; page < 3; page++) {
      Answer list =
          api.get("/v1/events?tag=listed&limit=2" + (page == 0 ? "" : "&cursor=" + next)).is(200);
      seen += list.body().get("items").size();
      next = list.text("next");
      assertThat(next.isEmpty()).isEqualTo(page == 2);
    }
    assertThat(seen).isEqualTo(5);
    Answer one = api.get("/v1/events?key=listed-3&status=PENDING&status=FAILED").is(200);
    assertThat(one.body().at("/items/0/key").stringValue()).isEqualTo("listed-3");
    assertThat(one.body().at("/items/0/target").toString())
        .isEqualTo("{\"url\":\"https://example.org/a\",\"method\":\"POST\"}");
    String times = "&dueFrom=2040-01-01T00:00:00%2B00:00&dueTo=2040-01-01T01:00:01+01:00";
    assertThat(api.get("/v1/events?tag=listed" + times).is(200).body().get("items").size())
        .isEqualTo(5);
    assertThat(api.get("/v1/events?tag=listed&type=other").is(200).body().get("items").size())
        .isZero();
    for (String[] wrong :
        new String[][] {
          {"limit=0", "limit"},
          {"limit=1001", "limit"},
          {"limit=a", "limit"},
          {"status=done", "status"},
          {"cursor=x", "cursor"},
          {"createdFrom=today", "createdFrom"},
          {"queue=%20", "queue"},
          {"error=%00", "error"},
          {"error=", "error"},
          {"key=%00", "key"},
          {"colour=red", "colour"},
          {"tag=a&tag=b", "tag"}
        }) {
      api.get("/v1/events?" + wrong[0]).problem(400, "invalid-argument", wrong[1]);
    }
  }

  @Test
  void keysMayContainAlmostAnything() {
    for (String key :
        List.of(
            "a:b",
            "x:cancel",
            "a%2Fb",
            "%2F",
            "caf%C3%A9%20%F0%9F%8E%82",
            "a%3Bb",
            "a%25b",
            "a%5Cb",
            "a%3Fb%23c",
            "a+b",
            "0-0x",
            "-1-0",
            "%22q%22",
            "a%2F..%2Fb",
            "..%2Fa",
            "events")) {
      Answer created = api.put(key, LATER).is(201);
      assertThat(api.get("/v1/events/" + key).is(200).text("id")).isEqualTo(created.text("id"));
    }
    assertThat(api.get("/v1/events/a%2Fb").text("key")).isEqualTo("a/b");
    assertThat(api.get("/v1/events/a+b").text("key")).isEqualTo("a+b");
    for (String key :
        List.of("4711-0", "0-0", "99999999999999999999-123456", "%20", "a%20", "a%0Ab")) {
      api.put(key, LATER).problem(400, "invalid-argument", "key");
    }
    api.put("k".repeat(301), LATER).problem(400, "invalid-argument", "key");
    api.post("/v1/events", LATER, "Idempotency-Key", "1-1")
        .problem(400, "invalid-argument", "Idempotency-Key");
    api.get("/v1/events/nothing").problem(404, "not-found");
    api.get("/v1/events/4711-99999").problem(404, "not-found");
    api.get("/v1/events/9999999999999999999-0").is(404);
  }

  @Test
  void nothingIsDoneWithoutAToken() {
    String id = api.later().text("id");
    for (String[] request :
        new String[][] {
          {"PUT", "/v1/events/open", LATER},
          {"POST", "/v1/events", LATER},
          {"POST", "/v1/events:batch", "{\"items\":[]}"},
          {"POST", "/v1/events:replay", "{\"filter\":{}}"},
          {"GET", "/v1/events", ""},
          {"GET", "/v1/events/" + id, ""},
          {"PATCH", "/v1/events/" + id, "{\"priority\":1}"},
          {"POST", "/v1/events/" + id + ":cancel", "{}"},
          {"POST", "/v1/events/" + id + ":run", "{}"},
          {"POST", "/v1/events/" + id + ":replay", "{}"},
          {"POST", "/v1/publish/https://example.org/", "x"},
          {"POST", "/v1/publish/https%3A%2F%2Fexample.org%2F", "x"}
        }) {
      api.open(request[0], request[1], request[2]).problem(401, "unauthorized");
      api.open(request[0], request[1], request[2], "Authorization", "Bearer hf_wrong")
          .problem(401, "unauthorized");
    }
    assertThat(api.get("/v1/events/" + id).is(200).body().get("version").intValue()).isEqualTo(1);
  }
}
