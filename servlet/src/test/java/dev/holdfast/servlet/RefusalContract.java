package dev.holdfast.servlet;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.servlet.TestApp.Endpoint;
import dev.holdfast.servlet.TestApp.Handler;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the filter refuses, and whom it answers by itself. */
abstract class RefusalContract extends FilterContract {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final Handler DONE = (request, response) -> response.getWriter().print("done");

  RefusalContract(FilterPlaces places) {
    super(places);
  }

  @Test
  void aMissingKeyIsRefusedWhereOneIsRequired() {
    Endpoint endpoint = place.at("/required", DONE);
    FilterPlace.assertProblem(
        place.send(place.request(endpoint.path()).POST(BodyPublishers.ofString("x"))),
        400,
        "idempotency-key-missing");
    assertThat(endpoint.calls()).isZero();
    assertThat(place.send(endpoint, FilterPlace.newKey()).statusCode()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/lease", "/tx"})
  void refusalsLinkToDocumentation(String prefix) {
    Endpoint endpoint = place.at(prefix, DONE);
    String key = FilterPlace.newKey();
    place.send(endpoint, key, "one");

    String draft = "https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/";
    assertDocumented(place.send(endpoint, "a b"), 400, draft);
    assertDocumented(place.send(endpoint, key, "two"), 422, draft);
  }

  @Test
  void applicationConfiguresDocumentationLink() {
    Endpoint endpoint = place.at("/required", DONE);
    HttpResponse<byte[]> missing =
        place.send(place.request(endpoint.path()).POST(BodyPublishers.ofString("x")));
    assertDocumented(missing, 400, "https://shop.example/keys");
  }

  /** By a header, for programs, and in the body, for people. */
  private static void assertDocumented(HttpResponse<byte[]> response, int status, String link) {
    assertThat(response.statusCode()).isEqualTo(status);
    assertThat(response.headers().firstValue("Link"))
        .hasValue("<" + link + ">; rel=\"describedby\"");
    assertThat(response.body()).asString().endsWith(",\"documentation\":\"" + link + "\"}");
  }

  @Test
  void parametersOfTheKeyAreIgnored() {
    Endpoint endpoint = place.at("/lease", DONE);
    String key = FilterPlace.newKey();
    place.send(endpoint, key);
    assertThat(
            place.send(endpoint, '"' + key + "\";a=1").headers().firstValue("Idempotent-Replayed"))
        .hasValue("true");
    assertThat(endpoint.calls()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\"\"", "\"open", "a b", "a,b"})
  void rejectsMalformedOptionalKey(String key) {
    Endpoint endpoint = place.at("/lease", DONE);
    FilterPlace.assertProblem(place.send(endpoint, key), 400, "idempotency-key-invalid");
    assertThat(endpoint.calls()).isZero();
  }

  @Test
  void rejectsLongAndRepeatedKeys() {
    Endpoint endpoint = place.at("/lease", DONE);
    FilterPlace.assertProblem(
        place.send(endpoint, "k".repeat(10 * 1024)), 400, "idempotency-key-invalid");
    FilterPlace.assertProblem(
        place.send(
            place.post(endpoint.path(), "one", new byte[0]).header("Idempotency-Key", "two")),
        400,
        "idempotency-key-invalid");
    FilterPlace.assertProblem(
        place.send(
            place.post(endpoint.path(), "one", new byte[0]).header("Idempotency-Key", "one")),
        400,
        "idempotency-key-invalid");
    assertThat(endpoint.calls()).isZero();
  }

  @Test
  void controlCharactersAreRefused() throws IOException {
    Endpoint endpoint = place.at("/lease", DONE);
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
    try (Socket socket = place.connect()) {
      socket.getOutputStream().write(text.getBytes(ISO_8859_1));
      socket.getOutputStream().flush();
      return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    }
  }

  @Test
  void quotedAndBareAreTheSameKey() {
    Endpoint endpoint = place.at("/lease", DONE);
    String key = FilterPlace.newKey();
    place.send(endpoint, key);
    assertThat(place.send(endpoint, '"' + key + '"').headers().firstValue("Idempotent-Replayed"))
        .hasValue("true");
    assertThat(endpoint.calls()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/lease", "/tx"})
  void anotherPayloadUnderTheSameKeyIsRefused(String prefix) {
    Endpoint endpoint = place.at(prefix, DONE);
    String key = FilterPlace.newKey();
    byte[] body = "one".getBytes(UTF_8);
    place.send(place.post(endpoint.path(), key, body));
    String code = "idempotency-key-reused";
    FilterPlace.assertProblem(place.send(endpoint, key, "two"), 422, code);
    FilterPlace.assertProblem(
        place.send(place.post(endpoint.path() + "?q=1", key, body)), 422, code);
    FilterPlace.assertProblem(
        place.send(place.post(endpoint.path(), key, body).setHeader("Content-Type", "text/html")),
        422,
        code);
    FilterPlace.assertProblem(
        place.send(place.post(endpoint.path(), key, body).setHeader("If-Match", "\"5\"")),
        422,
        code);
    FilterPlace.assertProblem(
        place.send(place.post(endpoint.path(), key, body).setHeader("If-None-Match", "*")),
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
  void scopesKeysByTargetPrincipalAndTenant() {
    String key = FilterPlace.newKey();
    Handler who =
        (request, response) ->
            response.getWriter().print(request.getUserPrincipal().getName() + request.getMethod());
    Endpoint one = place.at("/lease", who);
    Endpoint two = place.at("/lease", who);
    assertThat(place.send(one, key).body()).asString().isEqualTo("anaPOST");
    assertThat(place.send(two, key).headers().firstValue("Idempotent-Replayed")).isEmpty();
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
  void longPrincipalNamesDoNotCollide() {
    Endpoint endpoint = place.at("/lease", DONE);
    String key = FilterPlace.newKey();
    String name = "n".repeat(300);
    String forged = "sha256:" + Fingerprint.of(name);
    for (String user : new String[] {name, forged}) {
      place.send(place.post(endpoint.path(), key, new byte[0]).setHeader("X-User", user));
    }
    assertThat(endpoint.calls()).isEqualTo(2);
  }

  @Test
  void rejectsAnonymousKeysByDefault() {
    Endpoint refused = place.at("/lease", DONE);
    String key = FilterPlace.newKey();
    FilterPlace.assertProblem(
        place.send(
            place
                .request(refused.path())
                .header("Idempotency-Key", key)
                .POST(BodyPublishers.noBody())),
        403,
        "idempotency-principal-required");
    FilterPlace.assertProblem(
        place.send(place.post(refused.path(), key, new byte[0]).setHeader("X-User", "")),
        403,
        "idempotency-principal-required");
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
    Endpoint endpoint = place.at("/lease/" + "long".repeat(100), DONE);
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
            () -> place.send(endpoint, key).headers().firstValue("Idempotent-Replayed").isEmpty());
    assertThat(endpoint.calls()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/down", "/downtx"})
  void nothingIsDoneWhileTheStoreIsDown(String prefix) {
    Endpoint endpoint = place.at(prefix, DONE);
    HttpResponse<byte[]> answer = place.send(endpoint, FilterPlace.newKey());
    FilterPlace.assertProblem(answer, 503, "idempotency-store-unavailable");
    assertThat(Integer.parseInt(answer.headers().firstValue("Retry-After").orElseThrow()))
        .isPositive();
    assertThat(endpoint.calls()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/lease", "/tx"})
  void duplicateIsInProgress(String prefix) throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    Endpoint endpoint = place.at(prefix, held(running, go));
    String key = FilterPlace.newKey();
    CompletableFuture<HttpResponse<byte[]>> first =
        CompletableFuture.supplyAsync(() -> place.send(endpoint, key));
    assertThat(running.await(1, TimeUnit.MINUTES)).isTrue();
    HttpResponse<byte[]> second = place.send(endpoint, key);
    go.countDown();
    FilterPlace.assertProblem(second, 409, "idempotency-in-progress");
    int seconds = Integer.parseInt(second.headers().firstValue("Retry-After").orElseThrow());
    // by claims 5 minutes are left of the lease, but who works may be done long before that
    assertThat(seconds).isBetween(prefix.equals("/lease") ? 5 : 1, 5);
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
    assertThat(second.join().headers().firstValue("Idempotent-Replayed")).hasValue("true");
    assertThat(endpoint.calls()).isEqualTo(1);
  }

  private static Handler held(CountDownLatch running, CountDownLatch go) {
    return (request, response) -> {
      running.countDown();
      assertThat(go.await(1, TimeUnit.MINUTES)).isTrue();
      response.getWriter().print("held");
    };
  }
}
