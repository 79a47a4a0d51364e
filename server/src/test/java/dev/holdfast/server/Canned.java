package dev.holdfast.server;

import dev.holdfast.server.browser.Answers;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Answers as the API gives them, of a service that has had a busy hour. */
final class Canned {
  static final String HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>";
  static final String EVENT_ANSWER =
      """
      "type":"holdfast.webhook","priority":5,"version":3,"crashes":0,"timeout":"PT15S",
      "cancelRequested":false,"retry":{"attempts":10,"first":"PT5S","factor":4,"most":"PT6H"}""";

  private Canned() {}

  static String ago(Duration before) {
    return Instant.now().minus(before).toString();
  }

  static String stats(String level, String text, int completed) {
    return """
    {"at":"%s","window":"PT1H","step":"PT1M","verdict":{"level":"%s","text":"%s"},
    "counts":{"pending":1284,"due":3,"processing":2,"completed":%d,"failed":3,"cancelled":0,"retried":5},
    "oldestDueAge":"PT2M5S","queues":[%s],
    "failures":[{"error":"HTTP 503 of mail","count":12,"lastAt":"%s","example":"4711-0"}],
    "latest":%s,"series":[%s]}"""
        .formatted(
            Instant.now(),
            level,
            text,
            completed,
            queue("mail", false) + "," + queue("reports", true),
            ago(Duration.ofMinutes(4)),
            point(0, completed),
            IntStream.rangeClosed(1, 40)
                .mapToObj(minute -> point(41 - minute, 10 + minute % 7))
                .collect(Collectors.joining(",")));
  }

  private static String point(int minutesAgo, int completed) {
    Instant at = Instant.ofEpochSecond(Instant.now().getEpochSecond() / 60 * 60 - minutesAgo * 60L);
    return """
    {"at":"%s","completed":%d,"failed":1,"retried":2,"cancelled":0,"lagAvg":"PT0.02S","lagMax":"PT1S"}"""
        .formatted(at, completed);
  }

  static String queue(String name, boolean paused) {
    return """
    {"name":"%s","paused":%s,"pending":14,"due":3,"processing":1,"oldestDueAge":"PT3S",
    "limits":{"concurrent":5,"rate":{"amount":10,"period":"PT1S"}}}"""
        .formatted(name, paused);
  }

  static String event(String id, String status, String more) {
    return """
    {"id":"%s","status":"%s","queue":"mail","createdAt":"%s","dueAt":"%s",%s,
    "attempts":2,"target":{"url":"https://mail.example/send","method":"POST","body":{"n":12345678901234567890}}%s}"""
        .formatted(
            id,
            status,
            ago(Duration.ofMinutes(9)),
            Instant.now().plus(Duration.ofMinutes(7)),
            EVENT_ANSWER,
            more);
  }

  static String list(String... items) {
    return "{\"items\":[" + String.join(",", items) + "]}";
  }

  static String schedule(String name, boolean paused) {
    return """
    {"name":"%s","version":12,"recurrence":"cron 0 9 * * * in Europe/Madrid",
    "description":"every day at 09:00 (Europe/Madrid)","paused":%s,"missed":"once","tolerance":"PT1M",
    "overlap":"SKIP","jitter":"PT0S","nextFireAt":"%s","lastFireAt":"%s","lastEvent":"4711-0","next":["%s"],
    "queue":"mail","priority":5,"tags":["a"],"target":{"url":"https://mail.example/%s","method":"POST"}}"""
        .formatted(
            name,
            paused,
            Instant.now().plus(Duration.ofHours(5)),
            ago(Duration.ofHours(19)),
            Instant.now().plus(Duration.ofHours(5)),
            name);
  }

  static String problem(int status, String detail) {
    return """
    {"type":"urn:holdfast:problem:x","title":"x","status":%d,"detail":"%s","instance":"/"}"""
        .formatted(status, detail);
  }

  /** A service that is well. */
  static Answers well(Answers answers) {
    String stats = stats("ok", "All events are on time", 1000);
    return answers.give("GET", "stats", 200, stats).stream("stats", stats)
        .give("GET", "queues", 200, list(queue("mail", false), queue("reports", true)))
        .give("GET", "events", 200, list(event("4712-0", "FAILED", ",\"error\":\"HTTP 503\"")))
        .give("GET", "schedules", 200, list(schedule("birthdays", false), schedule("rates", true)));
  }
}
