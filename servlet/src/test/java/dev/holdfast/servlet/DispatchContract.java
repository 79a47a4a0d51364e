package dev.holdfast.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.servlet.TestApp.Endpoint;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
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
  @ValueSource(strings = {"/claim", "/unmapped"})
  void whatADispatchWritesIsKept(String prefix) {
    for (int size : new int[] {0, 10, 100_000}) {
      byte[] body = new byte[size];
      new Random(size).nextBytes(body);
      Endpoint target =
          place()
              .at(
                  prefix,
                  (request, response) -> {
                    response.setStatus(202);
                    if (size > 0) {
                      response.getOutputStream().write(body);
                    }
                  });
      Endpoint endpoint =
          place()
              .at(
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
  @ValueSource(strings = {"/claim", "/unmapped"})
  void whatWasWrittenBeforeADispatchIsKeptToo(String prefix) {
    Endpoint target =
        place().at(prefix, (request, response) -> response.getOutputStream().print("after"));
    Endpoint endpoint =
        place()
            .at(
                prefix,
                (request, response) -> {
                  response.getOutputStream().print("before and ");
                  request.startAsync().dispatch(target.path());
                });
    assertThat(twice(endpoint, "body").body()).asString().isEqualTo("before and after");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/claim", "/unmapped"})
  void aDispatchMayBecomeAsyncAgain(String prefix) {
    Endpoint target = place().at(prefix, completing(200, "in the end"));
    Endpoint endpoint =
        place().at(prefix, (request, response) -> request.startAsync().dispatch(target.path()));
    assertThat(twice(endpoint, "body").body()).asString().isEqualTo("in the end");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/claim", "/unmapped"})
  void anErrorOfADispatchIsGivenAgain(String prefix) {
    Endpoint target =
        place().at(prefix, (request, response) -> response.sendError(404, "not there"));
    Endpoint endpoint =
        place().at(prefix, (request, response) -> request.startAsync().dispatch(target.path()));
    HttpResponse<byte[]> again = twice(endpoint, "body");
    assertThat(again.statusCode()).isEqualTo(404);
    assertThat(again.body()).asString().contains("not there");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/claim", "/unmapped"})
  void anExceptionInADispatchGivesTheClaimBack(String prefix) {
    Endpoint target =
        place()
            .at(
                prefix,
                (request, response) -> {
                  throw new IllegalStateException("it went wrong");
                });
    Endpoint endpoint =
        place().at(prefix, (request, response) -> request.startAsync().dispatch(target.path()));
    String key = FilterPlace.newKey();
    for (int times = 1; times <= 2; times++) {
      assertThat(sendUntilDone(endpoint, key, "body").statusCode()).isEqualTo(500);
      assertThat(target.calls()).isEqualTo(times);
    }
  }

  @Test
  void aListenerThatAddsItselfAgainMayAnswerATimeout() {
    Endpoint target =
        place().at("/claim", (request, response) -> request.startAsync().setTimeout(200));
    Endpoint endpoint =
        place()
            .at(
                "/claim",
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
