package dev.holdfast.idempotency.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What of the answers to several attempts is seen: the one that is given, and nothing else. */
class IdempotentHttpAnswersTest extends HttpClientTests {
  /** Answers with these bodies, all but the last by 503. */
  private HttpRequest answering(String... texts) {
    AtomicInteger times = new AtomicInteger();
    server.createContext(
        "/texts",
        exchange -> {
          int next = times.getAndIncrement();
          exchange.getRequestBody().readAllBytes();
          byte[] text = texts[next].getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(next < texts.length - 1 ? 503 : 200, text.length);
          exchange.getResponseBody().write(text);
          exchange.close();
        });
    return to("/texts");
  }

  @Test
  void aFileHasTheAnswerThatIsGivenOnly(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("answer");
    HttpRequest request = answering("the gateway is overloaded", "{}");
    assertThat(client.send("key", request, BodyHandlers.ofFile(file)).statusCode()).isEqualTo(200);
    assertThat(file).hasContent("{}");
  }

  @Test
  void aConsumerSeesTheAnswerThatIsGivenOnly() throws Exception {
    StringBuilder seen = new StringBuilder();
    HttpRequest request = answering("the gateway", "is overloaded", "{}");
    client.send(
        "key",
        request,
        BodyHandlers.ofByteArrayConsumer(
            bytes ->
                bytes.ifPresent(some -> seen.append(new String(some, StandardCharsets.UTF_8)))));
    assertThat(seen).hasToString("{}");
  }

  @Test
  void handlerSeesFinalResponseOnly() throws Exception {
    List<Integer> asked = new CopyOnWriteArrayList<>();
    BodyHandler<String> handler =
        head -> {
          asked.add(head.statusCode());
          return BodyHandlers.ofString().apply(head);
        };
    HttpRequest request = answering("one", "two", "three", "four", "five");
    HttpResponse<String> last = client.send("key", request, handler);
    assertThat(last.statusCode()).isEqualTo(503);
    assertThat(last.body()).isEqualTo("four");
    assertThat(asked).containsExactly(503);
  }

  @Test
  void discardedResponseReleasesConnection() throws Exception {
    List<InetSocketAddress> from = new CopyOnWriteArrayList<>();
    byte[] text = new byte[100_000];
    server.createContext(
        "/pages",
        exchange -> {
          exchange.getRequestBody().readAllBytes();
          from.add(exchange.getRemoteAddress());
          exchange.sendResponseHeaders(from.size() < 4 ? 503 : 200, text.length);
          exchange.getResponseBody().write(text);
          exchange.close();
        });
    HttpResponse<Flow.Publisher<List<ByteBuffer>>> last =
        client.send("key", to("/pages"), BodyHandlers.ofPublisher());
    assertThat(last.statusCode()).isEqualTo(200);
    assertThat(from).hasSize(4);
    assertThat(Set.copyOf(from)).hasSize(1);
  }

  @Test
  void honorsRetryAfterOfBrokenResponse() throws Exception {
    AtomicInteger times = new AtomicInteger();
    server.createContext(
        "/broken",
        exchange -> {
          exchange.getRequestBody().readAllBytes();
          if (times.incrementAndGet() > 1) {
            exchange.sendResponseHeaders(200, -1);
          } else {
            exchange.getResponseHeaders().set("Retry-After", "1");
            exchange.sendResponseHeaders(503, 1000);
            exchange.getResponseBody().write('a');
            exchange.getResponseBody().flush();
          }
          exchange.close();
        });
    long before = System.nanoTime();
    assertThat(client.send("key", to("/broken"), BodyHandlers.ofString()).statusCode())
        .isEqualTo(200);
    assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(TimeUnit.SECONDS.toNanos(1));
  }

  @Test
  void deadlineEndsEndlessResponse() throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    server.createContext(
        "/endless",
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          exchange.getResponseBody().write('a');
          exchange.getResponseBody().flush();
          try {
            over.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          exchange.close();
        });
    HttpRequest endless =
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/endless"))
            .build();
    try {
      assertThatThrownBy(
              () ->
                  client
                      .deadline(Duration.ofSeconds(1))
                      .send("key", endless, BodyHandlers.ofString()))
          .isInstanceOf(HttpTimeoutException.class)
          .hasMessageContaining("deadline");
    } finally {
      over.countDown();
    }
  }
}
