package dev.holdfast.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.servlet.TestApp.Endpoint;
import dev.holdfast.servlet.TestApp.Handler;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;

/** What the contracts of async requests have in common. */
abstract class AsyncRequests extends FilterContract {
  static final Duration LIMIT = Duration.ofMinutes(1);

  AsyncRequests(FilterPlaces places) {
    super(places);
  }

  /** Sends the same twice; the second may come while the first is being recorded. */
  HttpResponse<byte[]> twice(Endpoint endpoint, String body) {
    String key = FilterPlace.newKey();
    HttpResponse<byte[]> first = place.send(endpoint, key, body);
    HttpResponse<byte[]> second = sendUntilDone(endpoint, key, body);
    assertThat(second.statusCode()).isEqualTo(first.statusCode());
    assertThat(second.body()).isEqualTo(first.body());
    assertThat(second.headers().firstValue("Idempotent-Replayed")).hasValue("true");
    assertThat(endpoint.calls()).isEqualTo(1);
    return second;
  }

  HttpResponse<byte[]> sendUntilDone(Endpoint endpoint, String key, String body) {
    return await()
        .atMost(LIMIT)
        .until(() -> place.send(endpoint, key, body), answer -> answer.statusCode() != 409);
  }

  static void inThread(Runnable work) {
    Thread thread = new Thread(work, "application");
    thread.setDaemon(true);
    thread.start();
  }

  static Handler completing(int status, String text) {
    return (request, response) -> {
      AsyncContext context = request.startAsync();
      inThread(
          () -> {
            try {
              HttpServletResponse to = (HttpServletResponse) context.getResponse();
              to.setStatus(status);
              to.setHeader("X-Async", "1");
              to.getWriter().print(text);
              context.complete();
            } catch (IOException e) {
              throw new IllegalStateException(e);
            }
          });
    };
  }

  /** Hears nothing. */
  abstract static class Quiet implements AsyncListener {
    @Override
    public void onComplete(AsyncEvent event) {}

    @Override
    public void onTimeout(AsyncEvent event) throws IOException {}

    @Override
    public void onError(AsyncEvent event) {}

    @Override
    public void onStartAsync(AsyncEvent event) {}
  }
}
