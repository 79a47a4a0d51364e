package dev.holdfast.servlet;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.servlet.TestApp.Endpoint;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayInputStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which requests are the same, and what the application sees of them. */
abstract class RequestContract extends FilterContract {
  RequestContract(FilterPlaces places) {
    super(places);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/lease", "/tx"})
  void theApplicationReadsTheBodyAsItWasSent(String prefix) {
    byte[] body = new byte[900_000];
    new Random(9).nextBytes(body);
    Endpoint echo =
        place.at(
            prefix,
            (request, response) ->
                response.getOutputStream().write(request.getInputStream().readAllBytes()));
    String key = FilterPlace.newKey();
    assertThat(place.send(place.post(echo.path(), key, body)).body()).isEqualTo(body);
    assertThat(place.send(place.post(echo.path(), key, body)).body()).isEqualTo(body);
    // chunked
    var chunked =
        place
            .post(echo.path(), key, body)
            .POST(BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body)));
    HttpResponse<byte[]> again = place.send(chunked);
    assertThat(again.body()).isEqualTo(body);
    assertThat(again.headers().firstValue("Idempotent-Replayed")).hasValue("true");
    assertThat(echo.calls()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/lease", "/tx"})
  void formsAndPartsReachTheApplication(String prefix) {
    Endpoint form =
        place.at(
            prefix,
            (request, response) ->
                response
                    .getWriter()
                    .print(
                        request.getParameter("a")
                            + Arrays.toString(request.getParameterValues("b"))
                            + request.getParameterMap().keySet()));
    String key = FilterPlace.newKey();
    var sent =
        place
            .post(form.path() + "?b=query", key, "a=%C3%A9+x&b=body".getBytes(UTF_8))
            .setHeader("Content-Type", "application/x-www-form-urlencoded; charset=ISO-8859-1");
    assertThat(new String(place.send(sent).body(), java.nio.charset.StandardCharsets.ISO_8859_1))
        .startsWith("Ã© x[query, body]");

    Endpoint parts =
        place.at(
            prefix,
            (request, response) ->
                response
                    .getWriter()
                    .print(
                        new String(
                            request.getPart("file").getInputStream().readAllBytes(), UTF_8)));
    String other = FilterPlace.newKey();
    assertThat(multipart(parts, other, "one", "text").body()).asString().isEqualTo("text");
    HttpResponse<byte[]> again = multipart(parts, other, "two", "text");
    assertThat(again.headers().firstValue("Idempotent-Replayed")).hasValue("true");
    assertThat(multipart(parts, other, "one", "other").statusCode()).isEqualTo(422);
    assertThat(parts.calls()).isEqualTo(1);
  }

  private HttpResponse<byte[]> multipart(Endpoint at, String key, String boundary, String text) {
    String body =
        "--"
            + boundary
            + "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\n"
            + text
            + "\r\n--"
            + boundary
            + "--\r\n";
    return place.send(
        place
            .post(at.path(), key, body.getBytes(UTF_8))
            .setHeader("Content-Type", "multipart/form-data; boundary=" + boundary));
  }

  @Test
  void passesSafeMethodsAndMissingKeys() {
    Endpoint endpoint =
        place.at(
            "/lease",
            (request, response) -> {
              assertThat(IdempotentRequest.from(request)).isEmpty();
              response.setStatus(HttpServletResponse.SC_ACCEPTED);
            });
    String key = FilterPlace.newKey();
    for (int i = 0; i < 2; i++) {
      assertThat(
              place
                  .send(
                      place
                          .post(endpoint.path(), key, new byte[0])
                          .method("GET", BodyPublishers.noBody()))
                  .statusCode())
          .isEqualTo(202);
      assertThat(
              place
                  .send(place.request(endpoint.path()).POST(BodyPublishers.ofString("x")))
                  .statusCode())
          .isEqualTo(202);
    }
    assertThat(endpoint.calls()).isEqualTo(4);
  }

  @ParameterizedTest
  @ValueSource(strings = {"PUT", "PATCH", "DELETE"})
  void otherMethodsTakeEffectOnceToo(String method) {
    Endpoint endpoint =
        place.at("/tx", (request, response) -> response.getWriter().print(request.getMethod()));
    String key = FilterPlace.newKey();
    for (int i = 0; i < 2; i++) {
      var request = place.post(endpoint.path(), key, new byte[0]);
      assertThat(place.send(request.method(method, BodyPublishers.ofString("b"))).body())
          .asString()
          .isEqualTo(method);
    }
    assertThat(endpoint.calls()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/lease", "/tx"})
  void aPathIsTheSameHoweverItIsSpelled(String prefix) {
    Endpoint endpoint = place.at(prefix, (request, response) -> response.getWriter().print("done"));
    String key = FilterPlace.newKey();
    String path = endpoint.path();
    for (String spelling :
        new String[] {
          path,
          path + ";jsessionid=x",
          path + ";JSESSIONID=y;",
          "/%%%02x".formatted((int) path.charAt(1)) + path.substring(2),
          prefix + ";jsessionid=z/./" + path.substring(prefix.length() + 1)
        }) {
      assertThat(place.send(place.post(spelling, key, new byte[0])).statusCode())
          .as(spelling)
          .isEqualTo(200);
    }
    assertThat(endpoint.calls()).isEqualTo(1);
  }

  @Test
  void everyPreconditionLineIsFingerprinted() {
    Endpoint endpoint = place.at("/tx", (request, response) -> response.setStatus(204));
    String key = FilterPlace.newKey();
    for (String second : new String[] {"\"2\"", "\"2\"", "\"3\""}) {
      HttpResponse<byte[]> answer =
          place.send(
              place
                  .post(endpoint.path(), key, new byte[0])
                  .header("If-Match", "\"1\"")
                  .header("If-Match", second));
      assertThat(answer.statusCode()).isEqualTo(second.equals("\"2\"") ? 204 : 422);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/lease", "/tx"})
  void pathParameterChangesFingerprint(String prefix) {
    Endpoint endpoint = place.at(prefix, (request, response) -> response.getWriter().print("done"));
    String key = FilterPlace.newKey();
    String red = endpoint.path() + ";colour=red";
    assertThat(place.send(place.post(red, key, new byte[0])).statusCode()).isEqualTo(200);
    assertThat(place.send(place.post(red + ";jsessionid=x", key, new byte[0])).statusCode())
        .isEqualTo(200);
    String name = endpoint.path().substring(prefix.length());
    for (String other :
        new String[] {
          endpoint.path(),
          endpoint.path() + ";colour=blue",
          endpoint.path() + ";colour=red;size=1",
          prefix + ";colour=red" + name
        }) {
      FilterPlace.assertProblem(
          place.send(place.post(other, key, new byte[0])), 422, "idempotency-key-reused");
    }
    assertThat(endpoint.calls()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/parsed", "/parsedtx"})
  void fingerprintsParsedForm(String prefix) {
    Endpoint endpoint =
        place.at(
            prefix,
            (request, response) ->
                response
                    .getWriter()
                    .print(
                        request.getParameter("a")
                            + Arrays.toString(request.getParameterValues("b"))));
    String key = FilterPlace.newKey();
    String path = endpoint.path() + "?b=query";
    for (int i = 0; i < 2; i++) {
      HttpResponse<byte[]> answer = form(path, key, "a=1&b=2", i == 1);
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.body()).asString().isEqualTo("1[query, 2]");
    }
    for (String other : new String[] {"a=1&b=3", "a=1", "a=1&b=2&c=", "aa=1&b=2", "a=1b2"}) {
      FilterPlace.assertProblem(form(path, key, other, false), 422, "idempotency-key-reused");
    }
    FilterPlace.assertProblem(
        form(path, FilterPlace.newKey(), "a=" + "x".repeat(1000), true),
        413,
        "idempotency-body-too-large");
    assertThat(endpoint.calls()).isEqualTo(1);
  }

  private HttpResponse<byte[]> form(String path, String key, String body, boolean chunked) {
    byte[] bytes = body.getBytes(UTF_8);
    return place.send(
        place
            .post(path, key, bytes)
            .setHeader("Content-Type", "application/x-www-form-urlencoded")
            .POST(
                chunked
                    ? BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(bytes))
                    : BodyPublishers.ofByteArray(bytes)));
  }
}
