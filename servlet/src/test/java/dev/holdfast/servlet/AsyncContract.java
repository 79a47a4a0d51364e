package dev.holdfast.servlet;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.servlet.TestApp.Endpoint;
import dev.holdfast.servlet.TestApp.Handler;
import dev.holdfast.workflow.StepContext;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Async requests, under claims. */
abstract class AsyncContract extends AsyncRequests {
  /** Of the request that was worked on last, as far as that is remembered. */
  private final AtomicReference<StepContext> claim = new AtomicReference<>();

  AsyncContract(FilterPlaces places) {
    super(places);
  }

  @Test
  void whatIsCompletedOnAnotherThreadIsKept() {
    HttpResponse<byte[]> again = twice(place.at("/lease", completing(201, "made later")), "body");
    assertThat(again.statusCode()).isEqualTo(201);
    assertThat(again.body()).asString().isEqualTo("made later");
    assertThat(again.headers().firstValue("X-Async")).hasValue("1");
  }

  @Test
  void whatIsCompletedAtOnceIsKept() {
    Endpoint endpoint =
        place.at(
            "/lease",
            (request, response) -> {
              AsyncContext context = request.startAsync(request, response);
              response.getWriter().print("at once");
              context.complete();
            });
    assertThat(twice(endpoint, "body").body()).asString().isEqualTo("at once");
  }

  @Test
  void unstoredAsyncResponseReleasesClaim() {
    Endpoint endpoint = place.at("/lease", completing(503, "later"));
    String key = FilterPlace.newKey();
    for (int times = 1; times <= 2; times++) {
      assertThat(sendUntilDone(endpoint, key, "body").statusCode()).isEqualTo(503);
      assertThat(endpoint.calls()).isEqualTo(times);
    }
  }

  @Test
  void listenersReadAndWrite() {
    String body = "0123456789".repeat(20_000);
    Endpoint endpoint =
        place.at(
            "/lease",
            (request, response) -> {
              AsyncContext context = request.startAsync();
              ServletInputStream in = request.getInputStream();
              in.setReadListener(new Echo(in, response.getOutputStream(), context));
            });
    assertThat(twice(endpoint, body).body()).isEqualTo(body.getBytes(UTF_8));
  }

  /** Reads all, and then writes it back in pieces. */
  private static final class Echo implements ReadListener, WriteListener {
    private final ServletInputStream in;
    private final ServletOutputStream out;
    private final AsyncContext context;
    private final ByteArrayOutputStream read = new ByteArrayOutputStream();
    private int written;

    Echo(ServletInputStream in, ServletOutputStream out, AsyncContext context) {
      this.in = in;
      this.out = out;
      this.context = context;
    }

    @Override
    public void onDataAvailable() throws IOException {
      byte[] some = new byte[1000];
      while (in.isReady() && !in.isFinished()) {
        int count = in.read(some);
        if (count > 0) {
          read.write(some, 0, count);
        }
      }
    }

    @Override
    public void onAllDataRead() {
      out.setWriteListener(this);
    }

    @Override
    public void onWritePossible() throws IOException {
      byte[] all = read.toByteArray();
      while (out.isReady()) {
        if (written == all.length) {
          context.complete();
          return;
        }
        int count = Math.min(777, all.length - written);
        out.write(all, written, count);
        written += count;
      }
    }

    @Override
    public void onError(Throwable failure) {
      throw new AssertionError(failure);
    }
  }

  @Test
  void theApplicationMayAnswerATimeout() {
    Endpoint endpoint =
        place.at(
            "/lease",
            (request, response) -> {
              AsyncContext context = request.startAsync();
              context.setTimeout(200);
              context.addListener(
                  new Quiet() {
                    @Override
                    public void onTimeout(AsyncEvent event) throws IOException {
                      HttpServletResponse to =
                          (HttpServletResponse) event.getAsyncContext().getResponse();
                      to.setStatus(202);
                      to.getWriter().print("it takes longer");
                      event.getAsyncContext().complete();
                    }
                  });
            });
    HttpResponse<byte[]> again = twice(endpoint, "body");
    assertThat(again.statusCode()).isEqualTo(202);
    assertThat(again.body()).asString().isEqualTo("it takes longer");
  }

  @Test
  void timedOutRequestKeepsClaimUntilExpiry() {
    AtomicInteger times = new AtomicInteger();
    Endpoint endpoint =
        place.at(
            "/shortlease",
            (request, response) -> {
              if (times.incrementAndGet() > 1) {
                response.getWriter().print("this time");
                return;
              }
              request.startAsync().setTimeout(200);
            });
    String key = FilterPlace.newKey();
    assertThat(place.send(endpoint, key).statusCode()).isGreaterThanOrEqualTo(500);
    assertThat(sendUntilDone(endpoint, key, "body").body()).asString().isEqualTo("this time");
  }

  @Test
  void timedOutWorkDoesNotRunTwice() {
    Endpoint endpoint =
        place.at("/lease", (request, response) -> request.startAsync().setTimeout(200));
    String key = FilterPlace.newKey();
    assertThat(place.send(endpoint, key).statusCode()).isGreaterThanOrEqualTo(500);
    // for as long as its lease, which is of minutes here
    assertThat(place.send(endpoint, key).statusCode()).isEqualTo(409);
    assertThat(endpoint.calls()).isEqualTo(1);
  }

  /** As {@link FilterPlace#at}; its claim is remembered. */
  private Endpoint claiming(String prefix, Handler handler) {
    return place.at(
        prefix,
        (request, response) -> {
          claim.set(
              IdempotentRequest.from(request).flatMap(IdempotentRequest::steps).orElseThrow());
          handler.handle(request, response);
        });
  }

  /** Becomes async, and answers its timeout so; its work goes on. */
  private Endpoint answeringATimeout(String prefix, Consumer<AsyncContext> answer) {
    return claiming(
        prefix,
        (request, response) -> {
          AsyncContext context = request.startAsync();
          context.setTimeout(200);
          context.addListener(
              new Quiet() {
                @Override
                public void onTimeout(AsyncEvent event) {
                  answer.accept(event.getAsyncContext());
                }
              });
        });
  }

  private static void unavailable(AsyncContext context) {
    ((HttpServletResponse) context.getResponse()).setStatus(503);
    context.complete();
  }

  /** Its claim is renewed no longer, and nobody has it before it has run out. */
  private void assertStillAtWork(Endpoint endpoint, int status) {
    String key = FilterPlace.newKey();
    assertThat(place.send(endpoint, key).statusCode()).isEqualTo(status);
    await("its end").atMost(LIMIT).until(() -> !claim.get().isLeaseValid());
    // for as long as its lease, which is of minutes here
    FilterPlace.assertProblem(place.send(endpoint, key), 409, "idempotency-in-progress");
    assertThat(endpoint.calls()).isEqualTo(1);
  }

  @Test
  void errorOnTimeoutKeepsRequestInProgress() {
    assertStillAtWork(answeringATimeout("/lease", AsyncContract::unavailable), 503);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/lease", "/unmapped"})
  void dispatchOnTimeoutKeepsRequestInProgress(String prefix) {
    Endpoint unavailable = place.at(prefix, (request, response) -> response.setStatus(503));
    assertStillAtWork(
        answeringATimeout(prefix, context -> context.dispatch(unavailable.path())), 503);
    Endpoint failing =
        place.at(
            prefix,
            (request, response) -> {
              throw new IllegalStateException("it took too long");
            });
    assertStillAtWork(answeringATimeout(prefix, context -> context.dispatch(failing.path())), 500);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/lease", "/unmapped"})
  void timeoutAfterDispatchKeepsRequestInProgress(String prefix) {
    Endpoint target = place.at(prefix, (request, response) -> request.startAsync().setTimeout(200));
    assertStillAtWork(
        claiming(prefix, (request, response) -> request.startAsync().dispatch(target.path())), 500);
  }

  @Test
  void claimExpiresAfterErrorOnTimeout() {
    Endpoint endpoint = answeringATimeout("/shortlease", AsyncContract::unavailable);
    String key = FilterPlace.newKey();
    for (int times = 1; times <= 2; times++) {
      assertThat(sendUntilDone(endpoint, key, "body").statusCode()).isEqualTo(503);
      assertThat(endpoint.calls()).isEqualTo(times);
    }
  }

  @Test
  void exceptionAfterAsyncStartKeepsClaim() {
    Endpoint endpoint =
        place.at(
            "/lease",
            (request, response) -> {
              request.startAsync();
              throw new IllegalStateException("it went wrong");
            });
    String key = FilterPlace.newKey();
    try {
      assertThat(place.send(endpoint, key).statusCode()).isEqualTo(500);
    } catch (UncheckedIOException e) {
      // Tomcat hangs up, with or without the filter
      assertThat(e).hasMessageContaining("no bytes");
    }
    assertThat(place.send(endpoint, key).statusCode()).isEqualTo(409);
    assertThat(endpoint.calls()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/lease", "/unmapped"})
  void exceptionOfAsyncDispatchKeepsClaim(String prefix) {
    Endpoint target =
        place.at(
            prefix,
            (request, response) -> {
              request.startAsync();
              throw new IllegalStateException("it went wrong");
            });
    Endpoint endpoint =
        place.at(prefix, (request, response) -> request.startAsync().dispatch(target.path()));
    String key = FilterPlace.newKey();
    try {
      assertThat(place.send(endpoint, key).statusCode()).isEqualTo(500);
    } catch (UncheckedIOException e) {
      // Tomcat hangs up, with or without the filter
      assertThat(e).hasMessageContaining("no bytes");
    }
    assertThat(place.send(endpoint, key).statusCode()).isEqualTo(409);
    assertThat(target.calls()).isEqualTo(1);
  }

  @Test
  void aClaimIsRenewedWhileAsyncWorkGoesOn() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    Endpoint endpoint =
        place.at(
            "/shortlease",
            (request, response) -> {
              AsyncContext context = request.startAsync();
              context.setTimeout(120_000);
              inThread(
                  () -> {
                    try {
                      assertThat(go.await(1, TimeUnit.MINUTES)).isTrue();
                      context.getResponse().getWriter().print("slow");
                    } catch (IOException | InterruptedException e) {
                      throw new IllegalStateException(e);
                    }
                    context.complete();
                  });
            });
    String key = FilterPlace.newKey();
    var first = CompletableFuture.supplyAsync(() -> place.send(endpoint, key));
    await().atMost(LIMIT).until(() -> endpoint.calls() == 1);
    // several leases
    long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(1500);
    while (System.nanoTime() < until) {
      assertThat(place.send(endpoint, key).statusCode()).isEqualTo(409);
    }
    go.countDown();
    assertThat(first.get(1, TimeUnit.MINUTES).body()).asString().isEqualTo("slow");
    assertThat(endpoint.calls()).isEqualTo(1);
  }

  @Test
  void aTransactionCannotBeAsync() {
    Endpoint endpoint =
        place.at(
            "/tx",
            (request, response) -> {
              assertThat(request.isAsyncSupported()).isFalse();
              try {
                request.startAsync();
              } catch (IllegalStateException e) {
                response.setStatus(500);
                response.getWriter().print(e.getMessage());
              }
            });
    assertThat(place.send(endpoint, FilterPlace.newKey()).body())
        .asString()
        .contains("a request in a transaction cannot be asynchronous");
  }
}
