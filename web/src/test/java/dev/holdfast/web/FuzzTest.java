package dev.holdfast.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Requests that are almost right: none of them is an error of ours. */
class FuzzTest {
  private static final int REQUESTS = Integer.getInteger("holdfast.requests", 2000);
  private static final String RESET = "reset";
  private static final List<String> METHODS =
      List.of("GET", "PUT", "POST", "PATCH", "DELETE", "HEAD", "OPTIONS", "POST", "PUT");
  private static final List<String> PATHS =
      List.of(
          "/v1/events",
          "/v1/events/key",
          "/v1/events/1-0",
          "/v1/events/1-0:cancel",
          "/v1/events/1-0:run",
          "/v1/events/1-0:replay",
          "/v1/events:batch",
          "/v1/events:replay",
          "/v1/events?status=PENDING&limit=2&error=a&createdFrom=2026-01-01T00:00:00Z",
          "/v1/events?key=key&cursor=9-0&tag=a&queue=default&type=a&endedTo=2026-01-01T00:00:00Z",
          "/v1/publish/https://example.org/a?b=c",
          "/v1/publish/https%3A%2F%2Fexample.org%2Fa",
          "/v1/schedules?cursor=a&limit=2",
          "/v1/schedules/reports",
          "/v1/schedules/reports:pause",
          "/v1/schedules/reports:trigger",
          "/v1/schedules:preview",
          "/v1/queues",
          "/v1/queues/mail",
          "/v1/queues/mail:pause",
          "/v1/stats?window=PT1H",
          "/v1/signing-secrets/a",
          "/v1/session",
          "/v1/instances");
  private static final List<String> BODIES =
      List.of(
          "{\"target\":{\"url\":\"https://example.org/a\",\"headers\":{\"X-A\":[\"b\"]},\"body\":{\"a\":[1.5,null]}},\"at\":\"2040-01-01T00:00:00Z\",\"tags\":[\"a\"],\"priority\":5,\"retry\":{\"maxAttempts\":3,\"first\":\"5s\",\"factor\":2.0}}",
          "{\"mode\":\"each\",\"items\":[{\"target\":{\"url\":\"https://example.org/\",\"text\":\"a\"},\"key\":\"k\",\"delay\":\"1d\"},{}]}",
          "{\"filter\":{\"status\":[\"FAILED\"],\"error\":\"a\"},\"dryRun\":true}",
          "{\"delay\":\"10m\",\"priority\":3}",
          "{\"reason\":\"a\"}",
          "{\"recurrence\":\"cron 0 9 * * 1-5 in"
              + " Europe/Madrid\",\"target\":{\"url\":\"https://example.org/\"},\"misfire\":\"fire_once\",\"overlap\":\"ALLOW\",\"jitter\":\"5s\"}",
          "{\"recurrence\":{\"cron\":\"0 9 * *"
              + " *\",\"zone\":\"UTC\"},\"count\":3,\"after\":\"2026-01-01T00:00:00Z\"}",
          "{\"limits\":{\"maxConcurrency\":5,\"rateLimit\":{\"count\":10,\"period\":\"1m\"}},\"keyLimits\":null}",
          "{\"token\":\"hf_a_b\"}");
  private static final List<String> HEADERS =
      List.of(
          "If-Match: \"1\"",
          "If-Match: *",
          "If-None-Match: *",
          "Idempotency-Key: key",
          "Holdfast-Delay: 1d",
          "Holdfast-Priority: 5",
          "Holdfast-Tags: a,b",
          "Holdfast-Forward-X: y",
          "Holdfast-Key: k",
          "Accept: application/json",
          "Content-Type: text/plain");
  private static final List<String> PIECES =
      List.of(
          "\\u0000",
          "\\ud800",
          "null",
          "[]",
          "{}",
          "-1",
          "1e999",
          "99999999999999999999",
          "\"",
          "\\",
          "%00",
          "%2F",
          "%ff",
          "..",
          ";",
          ":",
          "\u00e9",
          "\uFFFD",
          "true",
          "\"\"",
          "[[[[",
          "1970-01-01T00:00:00Z",
          "+999999999-12-31T23:59:59Z",
          "P999999999D",
          "'",
          "\t",
          "%");

  private static Application application;

  @BeforeAll
  static void start() {
    application =
        Application.start(
            "holdfast.worker.enabled=false",
            "holdfast.schedules.enabled=false",
            "holdfast.web.max-request-size=100KB");
  }

  @AfterAll
  static void stop() {
    application.close();
  }

  /** The same for everybody, so that what was once found stays found. */
  @Test
  void knownRequestsAreNoErrorOfOurs() throws IOException {
    assertNoError(20_261_115L);
  }

  /** Others in each build; the property repeats those of a failure. */
  @Test
  void newRequestsAreNoErrorOfOurs() throws IOException {
    assertNoError(Long.getLong("holdfast.seed", System.nanoTime()));
  }

  private static void assertNoError(long seed) throws IOException {
    Random random = new Random(seed);
    for (int i = 0; i < REQUESTS; i++) {
      String request = request(random);
      String answer = send(request);
      assertThat(answer)
          .as("-Dholdfast.seed=%s, request %s:%n%s", seed, i, request)
          .matches("(?s)HTTP/1\\.1 [1234].*|" + RESET);
    }
  }

  private static String request(Random random) {
    String path = mutated(random, pick(random, PATHS)).replaceAll("[\\s\\p{Cntrl}]", "");
    String body = random.nextInt(4) == 0 ? "" : mutated(random, pick(random, BODIES));
    StringBuilder all = new StringBuilder(pick(random, METHODS));
    // what is not below /v1/ belongs to the application around it
    all.append(" /v1/")
        .append(path.replaceFirst("^/?(v1)?/?", ""))
        .append(" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
    if (random.nextInt(20) != 0) {
      all.append("Authorization: Bearer ").append(application.token()).append("\r\n");
    }
    all.append("Content-Type: application/json\r\n");
    for (int i = random.nextInt(4); i > 0; i--) {
      all.append(mutated(random, pick(random, HEADERS)).replaceAll("[\r\n]", "")).append("\r\n");
    }
    int length = body.getBytes(StandardCharsets.UTF_8).length;
    return all.append("Content-Length: " + length + "\r\n\r\n").append(body).toString();
  }

  private static String mutated(Random random, String text) {
    StringBuilder changed = new StringBuilder(text);
    for (int i = random.nextInt(4); i > 0 && !changed.isEmpty(); i--) {
      int from = random.nextInt(changed.length());
      int to = Math.min(changed.length(), from + random.nextInt(6));
      switch (random.nextInt(3)) {
        case 0 -> changed.delete(from, to);
        case 1 -> changed.insert(from, pick(random, PIECES));
        default -> changed.replace(from, to, pick(random, PIECES));
      }
    }
    return changed.toString();
  }

  private static String pick(Random random, List<String> of) {
    return of.get(random.nextInt(of.size()));
  }

  /** As it is: no client would send most of it. */
  private static String send(String request) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), application.port())) {
      socket.setSoTimeout(20_000);
      ByteArrayOutputStream answer = new ByteArrayOutputStream();
      try {
        socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
        InputStream in = socket.getInputStream();
        in.transferTo(answer);
      } catch (java.net.SocketException closed) {
        // before all was read, by which the answer may be lost
        if (answer.size() == 0) {
          return RESET;
        }
      }
      return answer.toString(StandardCharsets.UTF_8);
    }
  }
}
