package dev.holdfast.servlet;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.servlet.TestApp.Endpoint;
import dev.holdfast.servlet.TestApp.Handler;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletResponse;
import java.io.PrintWriter;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is answered to who repeats a request, by claims and in transactions. */
abstract class ReplayContract extends FilterContract {
  ReplayContract(FilterPlaces places) {
    super(places);
  }

  /** Sends the same twice, and looks at what must be the same. */
  private HttpResponse<byte[]> twice(String prefix, Handler handler) {
    Endpoint endpoint = place.at(prefix, handler);
    String key = FilterPlace.newKey();
    HttpResponse<byte[]> first = place.send(endpoint, key);
    HttpResponse<byte[]> second = place.send(endpoint, key);
    assertThat(endpoint.calls()).isEqualTo(1);
    assertSame(first, second);
    assertThat(first.headers().firstValue("Idempotent-Replayed")).isEmpty();
    assertThat(second.headers().firstValue("Idempotent-Replayed")).hasValue("true");
    String mode = prefix.equals("/tx") ? "transaction" : "lease";
    assertThat(first.headers().allValues("Idempotency-Mode")).containsExactly(mode);
    assertThat(second.headers().allValues("Idempotency-Mode")).containsExactly(mode);
    return second;
  }

  private static void assertSame(HttpResponse<byte[]> first, HttpResponse<byte[]> second) {
    assertThat(second.statusCode()).isEqualTo(first.statusCode());
    assertThat(second.body()).isEqualTo(first.body());
    assertThat(second.headers().allValues("Content-Type"))
        .isEqualTo(first.headers().allValues("Content-Type"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/lease", "/tx"})
  void allStatusesThatAreKeptAreGivenAgain(String prefix) {
    for (int status :
        new int[] {
          200, 201, 202, 203, 204, 205, 206, 207, 208, 226, 300, 301, 302, 303, 304, 307, 308, 400,
          401, 402, 403, 404, 405, 406, 407, 409, 410, 411, 412, 413, 414, 415, 416, 417, 418, 421,
          422, 423, 424, 426, 428, 431, 451, 499
        }) {
      boolean bodiless = status == 204 || status == 205 || status == 304;
      HttpResponse<byte[]> again =
          twice(
              prefix,
              (request, response) -> {
                response.setStatus(status);
                if (!bodiless) {
                  response.setContentType("text/plain");
                  response.getOutputStream().write(("status " + status).getBytes(UTF_8));
                }
              });
      assertThat(again.statusCode()).isEqualTo(status);
      assertThat(new String(again.body(), UTF_8)).isEqualTo(bodiless ? "" : "status " + status);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/lease", "/tx"})
  void otherStatusesAreNotKept(String prefix) {
    for (int status : new int[] {408, 425, 429, 500, 501, 502, 503, 504, 507, 599}) {
      Endpoint endpoint =
          place.at(
              prefix,
              (request, response) -> {
                response.setStatus(status);
                response.setHeader("X-Mine", "mine");
                response.getOutputStream().print("no");
              });
      String key = FilterPlace.newKey();
      for (int times = 1; times <= 2; times++) {
        HttpResponse<byte[]> answer = place.send(endpoint, key);
        assertThat(answer.statusCode()).isEqualTo(status);
        assertThat(answer.body()).asString().isEqualTo("no");
        assertThat(answer.headers().firstValue("X-Mine")).hasValue("mine");
        assertThat(answer.headers().firstValue("Idempotent-Replayed")).isEmpty();
        assertThat(endpoint.calls()).isEqualTo(times);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/lease", "/tx"})
  void anErrorThatAsksToBeRepeatedIsNotKept(String prefix) {
    for (int status : new int[] {400, 409, 422, 503}) {
      Endpoint endpoint =
          place.at(
              prefix,
              (request, response) -> {
                response.setHeader("Retry-After", "1");
                response.setStatus(status);
              });
      String key = FilterPlace.newKey();
      for (int times = 1; times <= 2; times++) {
        assertThat(place.send(endpoint, key).statusCode()).isEqualTo(status);
        assertThat(endpoint.calls()).isEqualTo(times);
      }
    }
    HttpResponse<byte[]> accepted =
        twice(
            prefix,
            (request, response) -> {
              response.setHeader("Retry-After", "1");
              response.setStatus(202);
            });
    assertThat(accepted.headers().firstValue("Retry-After")).hasValue("1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/lease", "/tx"})
  void bodiesAreTheSameToTheByte(String prefix) {
    byte[] binary = new byte[70_000];
    new Random(7).nextBytes(binary);
    byte[] large = new byte[5 * FilterPlace.MIB];
    new Random(8).nextBytes(large);
    for (byte[] body :
        List.of(
            new byte[0],
            new byte[] {0},
            "{\"ключ\": \"значение\"}".getBytes(UTF_8),
            binary,
            large)) {
      HttpResponse<byte[]> again =
          twice(
              prefix,
              (request, response) -> {
                response.setContentType("application/octet-stream");
                response.setContentLength(body.length);
                response.getOutputStream().write(body);
              });
      assertThat(Arrays.equals(again.body(), body)).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/lease", "/tx"})
  void replaysFlushedBody(String prefix) {
    HttpResponse<byte[]> again =
        twice(
            prefix,
            (request, response) -> {
              response.setContentType("text/event-stream");
              for (int i = 0; i < 1000; i++) {
                response.getOutputStream().write(("piece " + i + "\n").getBytes(UTF_8));
                response.flushBuffer();
                assertThat(response.isCommitted()).isTrue();
              }
            });
    assertThat(again.body()).asString().startsWith("piece 0\n").endsWith("piece 999\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/lease", "/tx"})
  void aWriterWritesInItsCharset(String prefix) {
    HttpResponse<byte[]> again =
        twice(
            prefix,
            (request, response) -> {
              response.setContentType("text/plain; charset=UTF-16BE");
              PrintWriter writer = response.getWriter();
              response.setCharacterEncoding("UTF-8");
              writer.print("žluťoučký");
            });
    assertThat(new String(again.body(), java.nio.charset.StandardCharsets.UTF_16BE))
        .isEqualTo("žluťoučký");
    assertThat(again.headers().firstValue("Content-Type").orElseThrow().toUpperCase(Locale.ROOT))
        .contains("UTF-16BE");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/lease", "/tx"})
  void keepsContentTypeHeader(String prefix) {
    String type = "application/json;charset=UTF-8";
    List<BiConsumer<HttpServletResponse, String>> ways =
        List.of(
            HttpServletResponse::setContentType,
            (response, value) -> response.setHeader("Content-Type", value),
            (response, value) -> response.addHeader("content-type", value));
    for (BiConsumer<HttpServletResponse, String> way : ways) {
      for (boolean before : new boolean[] {true, false}) {
        Handler handler =
            (request, response) -> {
              if (before) {
                way.accept(response, type);
              }
              PrintWriter writer = response.getWriter();
              if (!before) {
                way.accept(response, type);
              }
              writer.print("é");
            };
        HttpResponse<byte[]> plain =
            place.send(
                place
                    .request(place.at(prefix, handler).path())
                    .POST(BodyPublishers.ofString("body")));
        HttpResponse<byte[]> again = twice(prefix, handler);
        assertSame(plain, again);
        assertThat(again.body()).isEqualTo("é".getBytes(before ? UTF_8 : ISO_8859_1));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/lease", "/tx"})
  void replaysHeadersExceptPerResponse(String prefix) {
    Endpoint endpoint =
        place.at(
            prefix,
            (request, response) -> {
              response.setHeader("Location", "/orders/7");
              response.addHeader("X-Two", "1");
              response.addHeader("X-Two", "2");
              response.setIntHeader("X-Number", 42);
              response.setDateHeader("Last-Modified", 1_000_000_000_000L);
              response.addHeader("Vary", "Accept");
              response.setHeader("ETag", "\"5\"");
              response.setLocale(Locale.FRANCE);
              response.setHeader("Date", "Thu, 01 Jan 1970 00:00:00 GMT");
              response.addCookie(new Cookie("session", "secret"));
              response.setHeader("Keep-Alive", "timeout=5");
              response.setHeader("Proxy-Authenticate", "Basic");
              response.setHeader("Upgrade", "h2c");
              response.setHeader("Connection", "X-Hop, keep-alive");
              response.setHeader("X-Hop", "1");
              response.setContentType("application/json");
              response.getOutputStream().print("{}");
            });
    String key = FilterPlace.newKey();
    HttpResponse<byte[]> first = place.send(endpoint, key);
    HttpResponse<byte[]> again = place.send(endpoint, key);
    assertThat(first.headers().allValues("Set-Cookie")).hasSize(1);
    for (String name :
        List.of(
            "Location",
            "X-Two",
            "X-Number",
            "Last-Modified",
            "ETag",
            "Content-Language",
            "Content-Type",
            "X-Outer",
            "Vary",
            "Content-Length")) {
      assertThat(again.headers().allValues(name))
          .as(name)
          .isNotEmpty()
          .isEqualTo(first.headers().allValues(name));
    }
    assertThat(again.headers().allValues("X-Two")).containsExactly("1", "2");
    for (String name :
        List.of("Set-Cookie", "Keep-Alive", "Proxy-Authenticate", "Upgrade", "X-Hop")) {
      assertThat(again.headers().allValues(name)).as(name).isEmpty();
    }
    assertThat(again.headers().allValues("Date")).doesNotContain("Thu, 01 Jan 1970 00:00:00 GMT");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/lease", "/tx"})
  void replaysRedirectsAndErrors(String prefix) {
    HttpResponse<byte[]> redirect =
        twice(prefix, (request, response) -> response.sendRedirect("/elsewhere"));
    assertThat(redirect.statusCode()).isEqualTo(302);
    assertThat(redirect.headers().firstValue("Location").orElseThrow()).endsWith("/elsewhere");
    HttpResponse<byte[]> other =
        twice(prefix, (request, response) -> response.sendRedirect("/there", 307));
    assertThat(other.statusCode()).isEqualTo(307);
    HttpResponse<byte[]> error =
        twice(
            prefix,
            (request, response) -> {
              response.getOutputStream().print("this is dropped");
              response.sendError(409, "there is one already");
            });
    assertThat(error.statusCode()).isEqualTo(409);
    assertThat(error.body()).asString().contains("there is one already").doesNotContain("dropped");
    assertThat(twice(prefix, (request, response) -> response.sendError(404)).statusCode())
        .isEqualTo(404);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/lease", "/tx"})
  void whatWasResetIsNotGiven(String prefix) {
    HttpResponse<byte[]> again =
        twice(
            prefix,
            (request, response) -> {
              response.setStatus(201);
              response.setHeader("X-Gone", "1");
              response.getWriter().print("gone");
              response.reset();
              response.getOutputStream().print("gone too");
              response.resetBuffer();
              response.getOutputStream().print("here");
            });
    assertThat(again.statusCode()).isEqualTo(200);
    assertThat(again.body()).asString().isEqualTo("here");
    assertThat(again.headers().firstValue("X-Gone")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/lease", "/tx"})
  void whatAForwardWritesIsKept(String prefix) {
    Endpoint target =
        place.at(prefix, (request, response) -> response.getWriter().print("from the target"));
    HttpResponse<byte[]> again =
        twice(
            prefix,
            (request, response) -> {
              response.getWriter().print("dropped");
              request.getRequestDispatcher(target.path()).forward(request, response);
            });
    assertThat(again.body()).asString().isEqualTo("from the target");
    assertThat(target.calls()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/lease", "/tx"})
  void anExceptionPassesAndIsNotKept(String prefix) {
    Endpoint endpoint =
        place.at(
            prefix,
            (request, response) -> {
              response.setHeader("X-Half", "1");
              response.getOutputStream().print("half of an answer");
              throw new IllegalStateException("it went wrong");
            });
    String key = FilterPlace.newKey();
    for (int times = 1; times <= 2; times++) {
      HttpResponse<byte[]> answer = place.send(endpoint, key);
      assertThat(answer.statusCode()).isEqualTo(500);
      assertThat(answer.body()).asString().doesNotContain("half of an answer");
      assertThat(endpoint.calls()).isEqualTo(times);
    }
  }

  @Test
  void whichOfTheTwoWaysItWasIsVisible() {
    Handler tell =
        (request, response) -> {
          IdempotentRequest known = IdempotentRequest.from(request).orElseThrow();
          response.getWriter().print(known.mode() + " " + known.key().principal());
        };
    Endpoint either = place.at("/either", tell);
    HttpResponse<byte[]> transaction = place.send(either, FilterPlace.newKey());
    assertThat(transaction.body()).asString().isEqualTo("TRANSACTION ana");
    assertThat(transaction.headers().firstValue("Idempotency-Mode")).hasValue("transaction");
    HttpResponse<byte[]> claim =
        place.send(
            place
                .post(either.path(), FilterPlace.newKey(), new byte[0])
                .header("X-No-Transaction", "1"));
    assertThat(claim.body()).asString().isEqualTo("LEASE ana");
    assertThat(claim.headers().firstValue("Idempotency-Mode")).hasValue("lease");
  }

  @Test
  void replayHeaderIsOptional() {
    Endpoint endpoint = place.at("/quiet", (request, response) -> response.reset());
    String key = FilterPlace.newKey();
    for (int i = 0; i < 2; i++) {
      assertThat(place.send(endpoint, key).headers().firstValue("Idempotency-Mode")).isEmpty();
    }
    // what was kept when it was told is given without it now
    String before = FilterPlace.newKey();
    var loud = place.post(endpoint.path(), before, "body".getBytes(UTF_8)).header("X-Loud", "1");
    assertThat(place.send(loud).headers().firstValue("Idempotency-Mode")).hasValue("lease");
    HttpResponse<byte[]> again = place.send(endpoint, before);
    assertThat(again.headers().firstValue("Idempotent-Replayed")).hasValue("true");
    assertThat(again.headers().firstValue("Idempotency-Mode")).isEmpty();
  }
}
