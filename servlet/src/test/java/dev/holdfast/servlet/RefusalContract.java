package dev.holdfast.servlet;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.servlet.TestApp.Endpoint;
import dev.holdfast.servlet.TestApp.Handler;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the filter refuses, and whom it answers by itself. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class RefusalContract {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final Handler DONE = (request, response) -> response.getWriter().print("done");

  private final FilterPlaces places;
  private FilterPlace place;

  RefusalContract(FilterPlaces places) {
    this.places = places;
  }

  @BeforeAll
  void start() {
    place = places.open();
  }

  @AfterAll
  void stop() {
    place.close();
  }

  private static void assertProblem(HttpResponse<byte[]> response, int status, String code) {
    assertThat(response.statusCode()).isEqualTo(status);
    assertThat(response.headers().firstValue("Content-Type").orElseThrow())
        .startsWith("application/problem+json");
    assertThat(response.headers().firstValue("Cache-Control")).hasValue("no-store");
    assertThat(response.headers().firstValue("X-Outer")).hasValue("outer");
    assertThat(response.body())
        .asString()
        .startsWith("{\"type\":\"urn:holdfast:problem:" + code + "\"")
        .contains("\"status\":" + status);
  }

  @Test
  void aMissingKeyIsRefusedWhereOneIsRequired() {
    Endpoint endpoint = place.at("/required", DONE);
    assertProblem(
        place.send(place.request(endpoint.path()).POST(BodyPublishers.ofString("x"))),
        400,
        "idempotency-key-missing");
    assertThat(endpoint.calls()).isZero();
    assertThat(place.send(endpoint, FilterPlace.newKey()).statusCode()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\"\"", "\"open", "a b", "a,b"})
  void aMalformedKeyIsRefusedEvenWhereNoneIsRequired(String key) {
    Endpoint endpoint = place.at("/claim", DONE);
    assertProblem(place.send(endpoint, key), 400, "idempotency-key-invalid");
    assertThat(endpoint.calls()).isZero();
  }

  @Test
  void aKeyOfTenKilobytesAndSeveralKeysAreRefused() {
    Endpoint endpoint = place.at("/claim", DONE);
    assertProblem(place.send(endpoint, "k".repeat(10 * 1024)), 400, "idempotency-key-invalid");
    assertProblem(
        place.send(
            place.post(endpoint.path(), "one", new byte[0]).header("Idempotency-Key", "two")),
        400,
        "idempotency-key-invalid");
    assertProblem(
        place.send(
            place.post(endpoint.path(), "one", new byte[0]).header("Idempotency-Key", "one")),
        400,
        "idempotency-key-invalid");
    assertThat(endpoint.calls()).isZero();
  }

  @Test
  void controlCharactersAreRefused() throws IOException {
    Endpoint endpoint = place.at("/claim", DONE);
    for (String key : new String[] {"a\u0001b", "a\u0000b", "\"a\tb\"", "\"a\u007fb\""}) {
      String answer =
          raw(
              "POST "
                  + endpoint.path()
                  + " HTTP/1.1\r\nHost: a\r\nX-User: ana\r\n"
                  + "Connection: close\r\nContent-Length: 0\r\nIdempotency-Key: "
                  + key
                  + "\r\n\r\n");
      assertThat(answer).startsWith("HTTP/1.1 400");
    }
    assertThat(endpoint.calls()).isZero();
  }

  private String raw(String text) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", place.port())) {
      socket.setSoTimeout(60_000);
      socket.getOutputStream().write(text.getBytes(ISO_8859_1));
      socket.getOutputStream().flush();
      return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    }
  }

  @Test
  void quotedAndBareAreTheSameKey() {
    Endpoint endpoint = place.at("/claim", DONE);
    String key = FilterPlace.newKey();
    place.send(endpoint, key);
    assertThat(place.send(endpoint, '"' + key + '"').headers().firstValue("Idempotency-Replayed"))
        .hasValue("true");
    assertThat(endpoint.calls()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/claim", "/tx"})
  void anotherPayloadUnderTheSameKeyIsRefused(String prefix) {
    Endpoint endpoint = place.at(prefix, DONE);
    String key = FilterPlace.newKey();
    byte[] body = "one".getBytes(UTF_8);
    place.send(place.post(endpoint.path(), key, body));
    String code = "idempotency-mismatch";
    assertProblem(place.send(endpoint, key, "two"), 422, code);
    assertProblem(place.send(place.post(endpoint.path() + "?q=1", key, body)), 422, code);
    assertProblem(
        place.send(place.post(endpoint.path(), key, body).setHeader("Content-Type", "text/html")),
        422,
        code);
    assertThat(
            place
                .send(
                    place
                        .post(endpoint.path(), key, body)
                        .setHeader("Content-Type", "TEXT/plain ; "))
                .statusCode())
        .isEqualTo(200);
    assertThat(endpoint.calls()).isEqualTo(1);
  }

  @Test
  void theSameKeyElsewhereByAnotherOrOfAnotherTenantIsAnotherOne() {
    String key = FilterPlace.newKey();
    Handler who =
        (request, response) ->
            response.getWriter().print(request.getUserPrincipal().getName() + request.getMethod());
    Endpoint one = place.at("/claim", who);
    Endpoint two = place.at("/claim", who);
    assertThat(place.send(one, key).body()).asString().isEqualTo("anaPOST");
    assertThat(place.send(two, key).headers().firstValue("Idempotency-Replayed")).isEmpty();
    HttpResponse<byte[]> bob =
        place.send(place.post(one.path(), key, "body".getBytes(UTF_8)).setHeader("X-User", "bob"));
    assertThat(bob.body()).asString().isEqualTo("bobPOST");
    HttpResponse<byte[]> put =
        place.send(place.post(one.path(), key, new byte[0]).PUT(BodyPublishers.ofString("body")));
    assertThat(put.body()).asString().isEqualTo("anaPUT");
    assertThat(one.calls()).isEqualTo(3);

    Endpoint tenants = place.at("/tenant", who);
    for (String tenant : new String[] {"a", "b", "a"}) {
      place.send(place.post(tenants.path(), key, new byte[0]).header("X-Tenant", tenant));
    }
    assertThat(tenants.calls()).isEqualTo(2);
  }

  @Test
  void whoIsNotKnownSharesNoKeysUnlessTheApplicationSaysSo() {
    Endpoint refused = place.at("/claim", DONE);
    String key = FilterPlace.newKey();
    assertProblem(
        place.send(
            place
                .request(refused.path())
                .header("Idempotency-Key", key)
                .POST(BodyPublishers.noBody())),
        403,
        "idempotency-anonymous");
    assertThat(refused.calls()).isZero();
    Endpoint shared = place.at("/anonymous", DONE);
    for (int i = 0; i < 2; i++) {
      assertThat(
              place
                  .send(
                      place
                          .request(shared.path())
                          .header("Idempotency-Key", key)
                          .POST(BodyPublishers.noBody()))
                  .statusCode())
          .isEqualTo(200);
    }
    assertThat(shared.calls()).isEqualTo(1);
  }

  @Test
  void aLongPathAndALongNameAreNoObstacle() {
    Endpoint endpoint = place.at("/claim/" + "long".repeat(100), DONE);
    String key = FilterPlace.newKey();
    for (int i = 0; i < 2; i++) {
      assertThat(
              place
                  .send(
                      place
                          .post(endpoint.path(), key, new byte[0])
                          .setHeader("X-User", "u".repeat(500)))
                  .statusCode())
          .isEqualTo(200);
    }
    assertThat(endpoint.calls()).isEqualTo(1);
  }

  @Test
  void aKeyIsNewAgainAfterItsTime() {
    Endpoint endpoint = place.at("/brief", DONE);
    String key = FilterPlace.newKey();
    place.send(endpoint, key);
    await()
        .atMost(LIMIT)
        .until(
            () -> place.send(endpoint, key).headers().firstValue("Idempotency-Replayed").isEmpty());
    assertThat(endpoint.calls()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/down", "/downtx"})
  void nothingIsDoneWhileTheStoreIsDown(String prefix) {
    Endpoint endpoint = place.at(prefix, DONE);
    HttpResponse<byte[]> answer = place.send(endpoint, FilterPlace.newKey());
    assertProblem(answer, 503, "idempotency-store");
    assertThat(Integer.parseInt(answer.headers().firstValue("Retry-After").orElseThrow()))
        .isPositive();
    assertThat(endpoint.calls()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/claim", "/tx"})
  void aDuplicateIsToldThatItIsInProgress(String prefix) throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    Endpoint endpoint = place.at(prefix, held(running, go));
    String key = FilterPlace.newKey();
    CompletableFuture<HttpResponse<byte[]>> first =
        CompletableFuture.supplyAsync(() -> place.send(endpoint, key));
    assertThat(running.await(1, TimeUnit.MINUTES)).isTrue();
    HttpResponse<byte[]> second = place.send(endpoint, key);
    go.countDown();
    assertProblem(second, 409, "idempotency-in-progress");
    int seconds = Integer.parseInt(second.headers().firstValue("Retry-After").orElseThrow());
    // by claims it is what is left of the lease of 5 minutes
    assertThat(seconds).isBetween(prefix.equals("/claim") ? 100 : 1, 300);
    assertThat(first.get(1, TimeUnit.MINUTES).body()).asString().isEqualTo("held");
    HttpResponse<byte[]> third = place.send(endpoint, key);
    assertThat(third.body()).asString().isEqualTo("held");
    assertThat(endpoint.calls()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/wait", "/waittx"})
  void aDuplicateMayWait(String prefix) throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    Endpoint endpoint = place.at(prefix, held(running, go));
    String key = FilterPlace.newKey();
    CompletableFuture<HttpResponse<byte[]>> first =
        CompletableFuture.supplyAsync(() -> place.send(endpoint, key));
    assertThat(running.await(1, TimeUnit.MINUTES)).isTrue();
    CompletableFuture<HttpResponse<byte[]>> second =
        CompletableFuture.supplyAsync(() -> place.send(endpoint, key));
    TimeUnit.MILLISECONDS.sleep(300);
    assertThat(second).isNotDone();
    go.countDown();
    assertThat(first.get(1, TimeUnit.MINUTES).body()).asString().isEqualTo("held");
    assertThat(second.get(1, TimeUnit.MINUTES).body()).asString().isEqualTo("held");
    assertThat(second.join().headers().firstValue("Idempotency-Replayed")).hasValue("true");
    assertThat(endpoint.calls()).isEqualTo(1);
  }

  private static Handler held(CountDownLatch running, CountDownLatch go) {
    return (request, response) -> {
      running.countDown();
      assertThat(go.await(1, TimeUnit.MINUTES)).isTrue();
      response.getWriter().print("held");
    };
  }

  @Test
  void aBodyThatIsTooLargeIsRefused() {
    Endpoint endpoint = place.at("/small", DONE);
    assertProblem(
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
    try (Socket socket = new Socket("127.0.0.1", place.port())) {
      socket.setSoTimeout(60_000);
      OutputStream out = socket.getOutputStream();
      out.write(
          ("POST "
                  + endpoint.path()
                  + " HTTP/1.1\r\nHost: a\r\nX-User: ana\r\n"
                  + "Transfer-Encoding: chunked\r\nIdempotency-Key: "
                  + FilterPlace.newKey()
                  + "\r\n\r\n")
              .getBytes(ISO_8859_1));
      // more than the limit, but no end
      out.write("400\r\n".getBytes(ISO_8859_1));
      out.write(new byte[0x400]);
      out.write("\r\n400\r\n".getBytes(ISO_8859_1));
      out.write(new byte[0x3ff]);
      out.flush();
      InputStream in = socket.getInputStream();
      byte[] begin = in.readNBytes("HTTP/1.1 413".length());
      assertThat(new String(begin, ISO_8859_1)).isEqualTo("HTTP/1.1 413");
    }
    assertThat(endpoint.calls()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/claim", "/tx"})
  void whoHangsUpHalfWayHasAskedForNothing(String prefix) throws Exception {
    Endpoint endpoint = place.at(prefix, DONE);
    String key = FilterPlace.newKey();
    for (String framing :
        new String[] {
          "Content-Length: 4\r\n\r\nbo", "Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n"
        }) {
      try (Socket socket = new Socket("127.0.0.1", place.port())) {
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
    assertThat(whole.headers().firstValue("Idempotency-Replayed")).isEmpty();
    assertThat(endpoint.calls()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/claim", "/tx"})
  void anAnswerThatNobodyWaitedForIsKept(String prefix) throws Exception {
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
    try (Socket socket = new Socket("127.0.0.1", place.port())) {
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
              assertThat(again.headers().firstValue("Idempotency-Replayed")).hasValue("true");
              assertThat(again.body()).isEqualTo(large);
            });
    assertThat(endpoint.calls()).isEqualTo(1);
  }

  @Test
  void aReplyThatIsTooLargeIsSentOnceAndNotGivenAgain() {
    byte[] body = "0123456789".repeat(50_000).getBytes(UTF_8);
    Endpoint endpoint =
        place.at("/small", (request, response) -> response.getOutputStream().write(body));
    String key = FilterPlace.newKey();
    assertThat(place.send(endpoint, key).body()).isEqualTo(body);
    assertProblem(place.send(endpoint, key), 500, "idempotency-too-large");
    assertThat(place.send(endpoint, key).body()).asString().contains("took effect");
    assertThat(endpoint.calls()).isEqualTo(1);
  }

  @Test
  void aClientThatHangsUpOnAReplyThatIsTooLargeDoesNotUndoIt() throws Exception {
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
    try (Socket socket = new Socket("127.0.0.1", place.port())) {
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
            () -> assertProblem(place.send(endpoint, key), 500, "idempotency-too-large"));
    assertThat(endpoint.calls()).isEqualTo(1);
  }

  @Test
  void aReplyThatIsTooLargeForItsTransactionTakesNoEffect() {
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
    assertProblem(answer, 500, "idempotency-too-large");
    assertThat(answer.body()).asString().contains("no effect");
    assertThat(answer.headers().firstValue("X-Mine")).isEmpty();
    assertThat(place.orders(order)).isZero();
  }

  @Test
  void anErrorThatIsTooLargeForItsTransactionIsNotCut() {
    Endpoint endpoint =
        place.at(
            "/smalltx",
            (request, response) -> {
              response.setStatus(502);
              response.getOutputStream().write(new byte[100_000]);
            });
    assertProblem(place.send(endpoint, FilterPlace.newKey()), 500, "idempotency-too-large");
  }
}
