package dev.holdfast.servlet;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.servlet.TestApp.Endpoint;
import dev.holdfast.servlet.TestApp.Handler;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies and replies that are too large, and clients that hang up. */
abstract class LimitsContract extends FilterContract {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final Handler DONE = (request, response) -> response.getWriter().print("done");

  LimitsContract(FilterPlaces places) {
    super(places);
  }

  @Test
  void aBodyThatIsTooLargeIsRefused() {
    Endpoint endpoint = place.at("/small", DONE);
    FilterPlace.assertProblem(
        place.send(endpoint, FilterPlace.newKey(), "x".repeat(1001)),
        413,
        "idempotency-body-too-large");
    assertThat(place.send(endpoint, FilterPlace.newKey(), "x".repeat(1000)).statusCode())
        .isEqualTo(200);
    assertThat(endpoint.calls()).isEqualTo(1);
  }

  @Test
  void aBodyThatNeverEndsIsCut() throws IOException {
    Endpoint endpoint = place.at("/small", DONE);
    try (Socket socket = place.connect()) {
      // more than the limit, but no end; at once, because the server hangs up when it has read it
      String head =
          "POST "
              + endpoint.path()
              + " HTTP/1.1\r\nHost: a\r\nX-User: ana\r\n"
              + "Transfer-Encoding: chunked\r\nIdempotency-Key: "
              + FilterPlace.newKey()
              + "\r\n\r\n400\r\n";
      socket.getOutputStream().write((head + "x".repeat(0x400)).getBytes(ISO_8859_1));
      InputStream in = socket.getInputStream();
      byte[] begin = in.readNBytes("HTTP/1.1 413".length());
      assertThat(new String(begin, ISO_8859_1)).isEqualTo("HTTP/1.1 413");
    }
    assertThat(endpoint.calls()).isZero();
  }

  /** Below the limit of its size, a byte after the other for as long as the server listens. */
  @Test
  void aBodyThatDripsIsCut() throws Exception {
    Endpoint endpoint = place.at("/quick", DONE);
    try (Socket socket = place.connect()) {
      String head =
          "POST "
              + endpoint.path()
              + " HTTP/1.1\r\nHost: a\r\nX-User: ana\r\n"
              + "Transfer-Encoding: chunked\r\nIdempotency-Key: "
              + FilterPlace.newKey()
              + "\r\n\r\n";
      socket.getOutputStream().write(head.getBytes(ISO_8859_1));
      InputStream in = socket.getInputStream();
      await()
          .atMost(Duration.ofMinutes(1))
          .pollInterval(Duration.ofMillis(20))
          .until(
              () -> {
                if (in.available() == 0) {
                  socket.getOutputStream().write("1\r\nx\r\n".getBytes(ISO_8859_1));
                }
                return in.available() > 0;
              });
      byte[] begin = in.readNBytes("HTTP/1.1 408".length());
      assertThat(new String(begin, ISO_8859_1)).isEqualTo("HTTP/1.1 408");
    }
    assertThat(endpoint.calls()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/parts/none", "/parts/file", "/parts/request"})
  void rejectsPartsAsWithoutKey(String prefix) throws Exception {
    Endpoint endpoint =
        place.at(
            prefix, (request, response) -> response.getWriter().print(request.getParts().size()));
    for (int size : new int[] {10, 5_000}) {
      int plain = status(parts(endpoint, size));
      int keyed = status(parts(endpoint, size).header("Idempotency-Key", FilterPlace.newKey()));
      assertThat(keyed).as("%d bytes", size).isEqualTo(plain);
      assertThat(plain == 200).isEqualTo(size == 10 && !prefix.equals("/parts/none"));
    }
  }

  /** By a connection of its own, because Jetty may close it. */
  private static int status(HttpRequest.Builder request) throws Exception {
    HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    return client.send(request.build(), BodyHandlers.discarding()).statusCode();
  }

  @Test
  void partsAreBytesIfUnparsed() {
    Endpoint endpoint =
        place.at(
            "/parts/none",
            (request, response) ->
                response.getOutputStream().write(request.getInputStream().readAllBytes()));
    String key = FilterPlace.newKey();
    for (int i = 0; i < 2; i++) {
      HttpResponse<byte[]> answer =
          place.send(parts(endpoint, 5_000).header("Idempotency-Key", key));
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.body()).asString().startsWith("--b").contains("x".repeat(5_000));
    }
    assertThat(endpoint.calls()).isEqualTo(1);
  }

  private HttpRequest.Builder parts(Endpoint endpoint, int size) {
    return place
        .request(endpoint.path())
        .header("X-User", "ana")
        .header("Content-Type", "multipart/form-data; boundary=b")
        .POST(
            BodyPublishers.ofString(
                "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\n"
                    + "x".repeat(size)
                    + "\r\n--b--\r\n"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/lease", "/tx"})
  void disconnectDuringRequestHasNoEffect(String prefix) throws Exception {
    Endpoint endpoint = place.at(prefix, DONE);
    String key = FilterPlace.newKey();
    for (String framing :
        new String[] {
          "Content-Length: 4\r\n\r\nbo", "Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n"
        }) {
      try (Socket socket = place.connect()) {
        socket
            .getOutputStream()
            .write(
                ("POST "
                        + endpoint.path()
                        + " HTTP/1.1\r\nHost: a\r\nX-User: ana\r\n"
                        + "Content-Type: text/plain\r\nIdempotency-Key: "
                        + key
                        + "\r\n"
                        + framing)
                    .getBytes(ISO_8859_1));
        socket.getOutputStream().flush();
      }
    }
    HttpResponse<byte[]> whole = place.send(endpoint, key);
    assertThat(whole.statusCode()).isEqualTo(200);
    assertThat(whole.headers().firstValue("Idempotent-Replayed")).isEmpty();
    assertThat(endpoint.calls()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/lease", "/tx"})
  void storesResponseAfterDisconnect(String prefix) throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    byte[] large = new byte[4 * FilterPlace.MIB];
    Endpoint endpoint =
        place.at(
            prefix,
            (request, response) -> {
              running.countDown();
              assertThat(go.await(1, TimeUnit.MINUTES)).isTrue();
              response.getOutputStream().write(large);
            });
    String key = FilterPlace.newKey();
    try (Socket socket = place.connect()) {
      socket.setSoLinger(true, 0);
      socket
          .getOutputStream()
          .write(
              ("POST "
                      + endpoint.path()
                      + " HTTP/1.1\r\nHost: a\r\nX-User: ana\r\n"
                      + "Content-Type: text/plain\r\nContent-Length: 4\r\nIdempotency-Key: "
                      + key
                      + "\r\n\r\nbody")
                  .getBytes(ISO_8859_1));
      assertThat(running.await(1, TimeUnit.MINUTES)).isTrue();
    }
    go.countDown();
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () -> {
              HttpResponse<byte[]> again = place.send(endpoint, key);
              assertThat(again.statusCode()).isEqualTo(200);
              assertThat(again.headers().firstValue("Idempotent-Replayed")).hasValue("true");
              assertThat(again.body()).isEqualTo(large);
            });
    assertThat(endpoint.calls()).isEqualTo(1);
  }

  @Test
  void oversizedResponseIsNotReplayed() {
    byte[] body = "0123456789".repeat(50_000).getBytes(UTF_8);
    Endpoint endpoint =
        place.at("/small", (request, response) -> response.getOutputStream().write(body));
    String key = FilterPlace.newKey();
    assertThat(place.send(endpoint, key).body()).isEqualTo(body);
    FilterPlace.assertProblem(place.send(endpoint, key), 500, "idempotency-result-too-large");
    assertThat(place.send(endpoint, key).body()).asString().contains("took effect");
    assertThat(endpoint.calls()).isEqualTo(1);
  }

  @Test
  void disconnectDoesNotUndoOversizedResponse() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    Endpoint endpoint =
        place.at(
            "/small",
            (request, response) -> {
              running.countDown();
              assertThat(go.await(1, TimeUnit.MINUTES)).isTrue();
              for (int i = 0; i < 1000; i++) {
                response.getOutputStream().write(new byte[10_000]);
              }
            });
    String key = FilterPlace.newKey();
    try (Socket socket = place.connect()) {
      socket.setSoLinger(true, 0);
      socket
          .getOutputStream()
          .write(
              ("POST "
                      + endpoint.path()
                      + " HTTP/1.1\r\nHost: a\r\nX-User: ana\r\n"
                      + "Content-Type: text/plain\r\nContent-Length: 4\r\nIdempotency-Key: "
                      + key
                      + "\r\n\r\nbody")
                  .getBytes(ISO_8859_1));
      assertThat(running.await(1, TimeUnit.MINUTES)).isTrue();
    }
    go.countDown();
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () ->
                FilterPlace.assertProblem(
                    place.send(endpoint, key), 500, "idempotency-result-too-large"));
    assertThat(endpoint.calls()).isEqualTo(1);
  }

  @Test
  void oversizedResponseRollsBack() {
    String order = FilterPlace.newKey();
    Endpoint endpoint =
        place.at(
            "/smalltx",
            (request, response) -> {
              try (var statement =
                  IdempotentRequest.transaction(request).connection().createStatement()) {
                statement.execute("INSERT INTO orders (id) VALUES ('" + order + "')");
              }
              response.setHeader("X-Mine", "mine");
              response.getOutputStream().write(new byte[100_000]);
            });
    HttpResponse<byte[]> answer = place.send(endpoint, FilterPlace.newKey());
    FilterPlace.assertProblem(answer, 500, "idempotency-result-too-large");
    assertThat(answer.body()).asString().contains("no effect");
    assertThat(answer.headers().firstValue("X-Mine")).isEmpty();
    assertThat(place.orders(order)).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/small", "/smalltx"})
  void whatWasTooLargeButTakenBackIsForgotten(String prefix) {
    for (boolean all : new boolean[] {true, false}) {
      Endpoint endpoint =
          place.at(
              prefix,
              (request, response) -> {
                response.getOutputStream().write(new byte[3000]);
                if (all) {
                  response.reset();
                } else {
                  response.resetBuffer();
                }
                response.getOutputStream().print("short");
              });
      String key = FilterPlace.newKey();
      for (int i = 0; i < 2; i++) {
        HttpResponse<byte[]> answer = place.send(endpoint, key);
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).asString().isEqualTo("short");
      }
      assertThat(endpoint.calls()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/small", "/smalltx"})
  void anErrorTakesBackWhatWasTooLarge(String prefix) {
    Endpoint endpoint =
        place.at(
            prefix,
            (request, response) -> {
              response.getOutputStream().write(new byte[3000]);
              response.sendError(409, "there is one already");
            });
    String key = FilterPlace.newKey();
    for (int i = 0; i < 2; i++) {
      HttpResponse<byte[]> answer = place.send(endpoint, key);
      assertThat(answer.statusCode()).isEqualTo(409);
      assertThat(answer.body()).asString().contains("there is one already");
    }
    assertThat(endpoint.calls()).isEqualTo(1);
  }

  @Test
  void oversizedErrorIsNotTruncated() {
    Endpoint endpoint =
        place.at(
            "/smalltx",
            (request, response) -> {
              response.setStatus(502);
              response.getOutputStream().write(new byte[100_000]);
            });
    FilterPlace.assertProblem(
        place.send(endpoint, FilterPlace.newKey()), 500, "idempotency-result-too-large");
  }
}
