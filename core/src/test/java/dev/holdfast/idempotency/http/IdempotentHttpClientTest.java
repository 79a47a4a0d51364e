package dev.holdfast.idempotency.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import dev.holdfast.InvalidArgumentException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class IdempotentHttpClientTest extends HttpClientTests {
  /** Answered by hanging up. */
  private static final int HANG_UP = 0;

  private final Queue<int[]> answers = new ArrayDeque<>();
  private final List<List<String>> keys = new CopyOnWriteArrayList<>();
  private final List<String> bodies = new CopyOnWriteArrayList<>();

  @BeforeEach
  void listen() {
    server.createContext("/", this::answer);
  }

  private synchronized void answer(HttpExchange exchange) throws IOException {
    keys.add(exchange.getRequestHeaders().getOrDefault("Idempotency-Key", List.of()));
    bodies.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
    int[] next = answers.isEmpty() ? new int[] {200} : answers.remove();
    if (next[0] == HANG_UP) {
      exchange.close();
      return;
    }
    if (next.length > 1) {
      exchange.getResponseHeaders().set("Retry-After", Integer.toString(next[1]));
    }
    exchange.sendResponseHeaders(next[0], -1);
    exchange.close();
  }

  private synchronized void answering(int[]... next) {
    answers.addAll(List.of(next));
  }

  private HttpRequest.Builder request() {
    return HttpRequest.newBuilder(
            URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/orders"))
        .POST(BodyPublishers.ofString("body"));
  }

  private HttpResponse<Void> send() throws Exception {
    return client.send("key", request().build(), BodyHandlers.discarding());
  }

  @Test
  void theKeyIsSentInQuotes() throws Exception {
    assertThat(send().statusCode()).isEqualTo(200);
    client.send("a \"b\" \\", request().build(), BodyHandlers.discarding());
    assertThat(keys).containsExactly(List.of("\"key\""), List.of("\"a \\\"b\\\" \\\\\""));
  }

  @Test
  void resendsLostRequestWithSameKey() throws Exception {
    for (int status : new int[] {HANG_UP, 425, 429, 502, 503, 504}) {
      keys.clear();
      answering(new int[] {status}, new int[] {status});
      assertThat(send().statusCode()).as("after %d", status).isEqualTo(200);
      // where a connection is closed before an answer, the JDK's client may send it once more
      assertThat(keys).hasSizeGreaterThanOrEqualTo(3).containsOnly(List.of("\"key\""));
      assertThat(bodies).containsOnly("body");
    }
  }

  @Test
  void anAnswerIsAnAnswer() throws Exception {
    for (int status : new int[] {201, 301, 400, 404, 409, 412, 422, 500, 501}) {
      keys.clear();
      answering(new int[] {status});
      assertThat(send().statusCode()).isEqualTo(status);
      assertThat(keys).hasSize(1);
    }
  }

  @Test
  void aRequestInProgressIsWaitedFor() throws Exception {
    answering(new int[] {409, 1}, new int[] {409, 1});
    long before = System.nanoTime();
    assertThat(send().statusCode()).isEqualTo(200);
    assertThat(keys).hasSize(3);
    assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(TimeUnit.SECONDS.toNanos(2));
  }

  @Test
  void theLastAnswerIsGivenWhateverItIs() throws Exception {
    answering(new int[] {503}, new int[] {502}, new int[] {504}, new int[] {429}, new int[] {200});
    assertThat(send().statusCode()).isEqualTo(429);
    assertThat(keys).hasSize(4);
  }

  @Test
  void aPauseThatEndsAfterTheDeadlineIsNotMade() throws Exception {
    answering(new int[] {503, 3600});
    assertThat(send().statusCode()).isEqualTo(503);
    assertThat(keys).hasSize(1);
  }

  @Test
  void deadlineEndsSilentServer() {
    CountDownLatch never = new CountDownLatch(1);
    server.createContext(
        "/never",
        exchange -> {
          try {
            assertThat(never.await(1, TimeUnit.MINUTES)).isTrue();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/never"))
            .POST(BodyPublishers.noBody())
            .build();
    assertThatThrownBy(
            () ->
                client
                    .deadline(Duration.ofMillis(300))
                    .send("key", request, BodyHandlers.discarding()))
        .isInstanceOf(IOException.class);
    never.countDown();
  }

  @Test
  void retriesRefusedConnectionThenThrows() {
    int port = server.getAddress().getPort();
    server.stop(0);
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/"))
            .POST(BodyPublishers.noBody())
            .build();
    assertThatThrownBy(() -> client.attempts(2).send("key", request, BodyHandlers.discarding()))
        .isInstanceOf(IOException.class)
        .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
  }

  @Test
  void attemptsShareRandomKey() throws Exception {
    answering(new int[] {503});
    client.send(request().build(), BodyHandlers.discarding());
    client.send(request().build(), BodyHandlers.discarding());
    assertThat(keys).hasSize(3);
    assertThat(keys.get(0)).hasSize(1).isEqualTo(keys.get(1)).isNotEqualTo(keys.get(2));
    assertThat(keys.get(0).get(0)).matches("\"[0-9a-f-]{36}\"");
  }

  @Test
  void aKeyThatTheRequestHasIsKept() throws Exception {
    answering(new int[] {503});
    client.send(request().header("Idempotency-Key", "own").build(), BodyHandlers.discarding());
    assertThat(keys).containsExactly(List.of("own"), List.of("own"));
    client.send(
        "given", request().header("idempotency-key", "own").build(), BodyHandlers.discarding());
    assertThat(keys.get(2)).containsExactly("\"given\"");
  }

  @Test
  void recreatesOneTimeBody() throws Exception {
    answering(new int[] {503});
    Supplier<HttpRequest> requests =
        () -> {
          ByteArrayInputStream once =
              new ByteArrayInputStream("stream".getBytes(StandardCharsets.UTF_8));
          return request().POST(BodyPublishers.ofInputStream(() -> once)).build();
        };
    assertThat(client.send("key", requests, BodyHandlers.discarding()).statusCode()).isEqualTo(200);
    assertThat(bodies).containsExactly("stream", "stream");
  }

  @Test
  void anInterruptEndsThePause() throws Exception {
    answering(new int[] {503, 50});
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Thread sender =
        new Thread(
            () -> {
              try {
                send();
              } catch (Exception e) {
                thrown.set(e);
              }
            });
    sender.start();
    long limit = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (sender.getState() != Thread.State.TIMED_WAITING && System.nanoTime() < limit) {
      Thread.onSpinWait();
    }
    sender.interrupt();
    sender.join(TimeUnit.MINUTES.toMillis(1));
    assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
  }

  @Test
  void badKeysAndSettingsAreRefused() {
    for (String key : new String[] {"", "k".repeat(256), "a\nb", "ž"}) {
      assertThatThrownBy(() -> client.send(key, request().build(), BodyHandlers.discarding()))
          .isInstanceOf(InvalidArgumentException.class);
    }
    assertThatThrownBy(() -> client.attempts(0)).isInstanceOf(InvalidArgumentException.class);
    assertThatThrownBy(() -> client.deadline(Duration.ZERO))
        .isInstanceOf(InvalidArgumentException.class);
    assertThat(keys).isEmpty();
  }

  @Test
  void doesNotRetryUncheckedHandlerException() {
    assertThatThrownBy(
            () ->
                client.send(
                    "key",
                    () -> {
                      throw new UncheckedIOException(new IOException("no body"));
                    },
                    BodyHandlers.discarding()))
        .isInstanceOf(UncheckedIOException.class);
    assertThat(keys).isEmpty();
  }
}
