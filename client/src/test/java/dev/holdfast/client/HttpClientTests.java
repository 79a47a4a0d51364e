package dev.holdfast.client;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** What the tests of the client stand on: a server of their own. */
abstract class HttpClientTests {
  private final HttpClient http = HttpClient.newHttpClient();
  final IdempotentHttpClient client = builder().build();
  HttpServer server;

  final IdempotentHttpClient.Builder builder() {
    return IdempotentHttpClient.builder(http).backoff(Duration.ofMillis(1), Duration.ofMillis(5));
  }

  @BeforeEach
  final void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.start();
  }

  @AfterEach
  final void stop() {
    server.stop(0);
  }

  final HttpRequest to(String path) {
    return HttpRequest.newBuilder(
            URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path))
        .POST(BodyPublishers.ofString("body"))
        .build();
  }
}
