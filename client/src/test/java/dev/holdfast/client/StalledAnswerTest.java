package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An answer that asks to be repeated, and whose body never ends. */
class StalledAnswerTest {
  private final AtomicInteger sent = new AtomicInteger();
  private final CountDownLatch over = new CountDownLatch(1);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  @AfterEach
  void stop() {
    over.countDown();
    server.stop(0);
    threads.shutdownNow();
  }

  private void answer(HttpExchange exchange) throws IOException {
    if (sent.incrementAndGet() > 1) {
      exchange.sendResponseHeaders(200, 2);
      exchange.getResponseBody().write("ok".getBytes(StandardCharsets.UTF_8));
      exchange.close();
      return;
    }
    exchange.sendResponseHeaders(503, 100);
    exchange.getResponseBody().write("half".getBytes(StandardCharsets.UTF_8));
    exchange.getResponseBody().flush();
    try {
      over.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void isNotWaitedForBeforeTheNextAttempt() throws Exception {
    HttpResponse<String> response =
        IdempotentHttpClient.builder(HttpClient.newHttpClient())
            .backoff(Duration.ofMillis(1), Duration.ofMillis(5))
            .maxDuration(Duration.ofSeconds(20))
            .build()
            .send(
                "key",
                HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/"))
                    .POST(BodyPublishers.ofString("body"))
                    .build(),
                BodyHandlers.ofString());

    assertThat(response.body()).isEqualTo("ok");
    assertThat(sent.get()).isEqualTo(2);
  }
}
