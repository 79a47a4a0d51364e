package dev.holdfast.servlet;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.servlet.TestApp.Endpoint;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Async requests that are dispatched, to where the filter is asked again and to where not. */
abstract class DispatchContract extends AsyncRequests {
  DispatchContract(FilterPlaces places) {
    super(places);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/lease", "/unmapped"})
  void whatADispatchWritesIsKept(String prefix) {
    for (int size : new int[] {0, 10, 100_000}) {
      byte[] body = new byte[size];
      new Random(size).nextBytes(body);
      Endpoint target =
          place.at(
              prefix,
              (request, response) -> {
                response.setStatus(202);
                if (size > 0) {
                  response.getOutputStream().write(body);
                }
              });
      Endpoint endpoint =
          place.at(
              prefix,
              (request, response) -> {
                response.setHeader("X-Before", "1");
                AsyncContext context = request.startAsync();
                inThread(() -> context.dispatch(target.path()));
              });
      HttpResponse<byte[]> again = twice(endpoint, "body");
      assertThat(again.statusCode()).isEqualTo(202);
      assertThat(again.body()).isEqualTo(body);
      assertThat(again.headers().firstValue("X-Before")).hasValue("1");
      assertThat(target.calls()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/lease", "/unmapped"})
  void whatWasWrittenBeforeADispatchIsKeptToo(String prefix) {
    Endpoint target =
        place.at(prefix, (request, response) -> response.getOutputStream().print("after"));
    Endpoint endpoint =
        place.at(
            prefix,
            (request, response) -> {
              response.getOutputStream().print("before and ");
              request.startAsync().dispatch(target.path());
            });
    assertThat(twice(endpoint, "body").body()).asString().isEqualTo("before and after");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/lease", "/unmapped"})
  void aDispatchMayBecomeAsyncAgain(String prefix) {
    Endpoint target = place.at(prefix, completing(200, "in the end"));
    Endpoint endpoint =
        place.at(prefix, (request, response) -> request.startAsync().dispatch(target.path()));
    assertThat(twice(endpoint, "body").body()).asString().isEqualTo("in the end");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/lease", "/unmapped"})
  void anErrorOfADispatchIsGivenAgain(String prefix) {
    Endpoint target = place.at(prefix, (request, response) -> response.sendError(404, "not there"));
    Endpoint endpoint =
        place.at(prefix, (request, response) -> request.startAsync().dispatch(target.path()));
    HttpResponse<byte[]> again = twice(endpoint, "body");
    assertThat(again.statusCode()).isEqualTo(404);
    assertThat(again.body()).asString().contains("not there");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/lease", "/unmapped"})
  void anExceptionInADispatchGivesTheClaimBack(String prefix) {
    Endpoint target =
        place.at(
            prefix,
            (request, response) -> {
              throw new IllegalStateException("it went wrong");
            });
    Endpoint endpoint =
        place.at(prefix, (request, response) -> request.startAsync().dispatch(target.path()));
    String key = FilterPlace.newKey();
    for (int times = 1; times <= 2; times++) {
      assertThat(sendUntilDone(endpoint, key, "body").statusCode()).isEqualTo(500);
      assertThat(target.calls()).isEqualTo(times);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/lease", "/unmapped"})
  void whatIsPrintedBeforeAndInADispatchIsKept(String prefix) {
    for (int times : new int[] {1, 20_000}) {
      Endpoint target =
          place.at(
              prefix,
              (request, response) -> {
                for (int i = 0; i < times; i++) {
                  response.getWriter().append('ž').print(i);
                }
              });
      Endpoint endpoint =
          place.at(
              prefix,
              (request, response) -> {
                response.setContentType("text/plain; charset=UTF-8");
                response.getWriter().print("před a ");
                request.startAsync().dispatch(target.path());
              });
      HttpResponse<byte[]> again = twice(endpoint, "body");
      assertThat(new String(again.body(), UTF_8))
          .startsWith("před a ž0")
          .endsWith("ž" + (times - 1));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/lease", "/unmapped"})
  void anErrorTakesBackWhatADispatchHasPrinted(String prefix) {
    Endpoint target =
        place.at(
            prefix,
            (request, response) -> {
              response.getWriter().print("dropped");
              response.sendError(404, "not there");
            });
    Endpoint endpoint =
        place.at(prefix, (request, response) -> request.startAsync().dispatch(target.path()));
    HttpResponse<byte[]> again = twice(endpoint, "body");
    assertThat(again.statusCode()).isEqualTo(404);
    assertThat(again.body()).asString().contains("not there").doesNotContain("dropped");
  }

  @ParameterizedTest
  @ValueSource(strings = {"lease", "tx"})
  void dispatchedRequestTakesEffectOnce(String mode) {
    Endpoint endpoint =
        place.at(
            "/suspended/" + mode,
            (request, response) -> {
              assertThat(IdempotentRequest.from(request)).isPresent();
              assertThat(request.isAsyncSupported()).isEqualTo(mode.equals("lease"));
              response.getWriter().print("of " + request.getReader().readLine());
            });
    HttpResponse<byte[]> again = twice(endpoint, "body");
    assertThat(again.body()).asString().isEqualTo("of body");
    assertThat(again.headers().firstValue("Idempotency-Mode"))
        .hasValue(mode.equals("tx") ? "transaction" : "lease");
  }

  @Test
  void dispatchedRequestMayBecomeAsync() {
    Endpoint target = place.at("/suspended/lease", completing(201, "in the end"));
    Endpoint endpoint =
        place.at(
            "/suspended/lease",
            (request, response) -> {
              AsyncContext context = request.startAsync();
              inThread(() -> context.dispatch(target.path()));
            });
    HttpResponse<byte[]> again = twice(endpoint, "body");
    assertThat(again.statusCode()).isEqualTo(201);
    assertThat(again.body()).asString().isEqualTo("in the end");
    assertThat(target.calls()).isEqualTo(1);
  }

  @Test
  void requiresKeyOnDispatch() {
    Endpoint endpoint =
        place.at("/suspended/required", (request, response) -> response.setStatus(204));
    FilterPlace.assertProblem(place.send(withoutKey(endpoint)), 400, "idempotency-key-missing");
    assertThat(endpoint.calls()).isZero();
    assertThat(place.send(endpoint, FilterPlace.newKey()).statusCode()).isEqualTo(204);
  }

  private HttpRequest.Builder withoutKey(Endpoint endpoint) {
    return place
        .request(endpoint.path())
        .header("X-User", "ana")
        .POST(BodyPublishers.ofString("body"));
  }

  @Test
  void passesDispatchWithoutKey() {
    Endpoint target =
        place.at("/partly/required", (request, response) -> response.getWriter().print("there"));
    FilterPlace.assertProblem(place.send(withoutKey(target)), 400, "idempotency-key-missing");
    Endpoint endpoint =
        place.at("/partly", (request, response) -> request.startAsync().dispatch(target.path()));
    assertThat(place.send(withoutKey(endpoint)).body()).asString().isEqualTo("there");
  }

  @ParameterizedTest
  @ValueSource(strings = {"lease", "tx"})
  void doesNotRestartCompletedOnDispatch(String mode) {
    Endpoint endpoint =
        place.at(
            "/repeated/" + mode, (request, response) -> response.getOutputStream().print("once"));
    assertThat(twice(endpoint, "body").body()).asString().isEqualTo("once");
    String key = FilterPlace.newKey();
    assertThat(place.send(endpoint, key, "one").statusCode()).isEqualTo(200);
    FilterPlace.assertProblem(place.send(endpoint, key, "another"), 422, "idempotency-key-reused");
    assertThat(endpoint.calls()).isEqualTo(2);
  }

  @Test
  void readdedListenerMayAnswerTimeout() {
    Endpoint target =
        place.at("/lease", (request, response) -> request.startAsync().setTimeout(200));
    Endpoint endpoint =
        place.at(
            "/lease",
            (request, response) -> {
              AsyncContext context = request.startAsync();
              context.addListener(new Staying());
              context.dispatch(target.path());
            });
    HttpResponse<byte[]> again = twice(endpoint, "body");
    assertThat(again.statusCode()).isEqualTo(202);
    assertThat(again.body()).asString().isEqualTo("it takes longer");
    assertThat(target.calls()).isEqualTo(1);
  }

  /** Listens to what is begun after a dispatch too. */
  private static final class Staying extends Quiet {
    @Override
    public void onStartAsync(AsyncEvent event) {
      event.getAsyncContext().addListener(this);
    }

    @Override
    public void onTimeout(AsyncEvent event) throws IOException {
      HttpServletResponse to = (HttpServletResponse) event.getAsyncContext().getResponse();
      to.setStatus(202);
      to.getWriter().print("it takes longer");
      event.getAsyncContext().complete();
    }
  }
}
