package dev.holdfast.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * What the server under test calls. The first part of the path says what is answered; all that is
 * received is kept.
 */
final class CallTarget implements AutoCloseable {
  static final String HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>";

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Received> received = new CopyOnWriteArrayList<>();

  /** A call as it came; the names of headers are in any case. */
  record Received(String uri, Map<String, List<String>> headers, String body) {}

  CallTarget() throws IOException {
    server = HttpServer.create(new InetSocketAddress(0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  int port() {
    return server.getAddress().getPort();
  }

  /** What has come for paths that begin so. */
  List<Received> received(String path) {
    return received.stream().filter(one -> one.uri.startsWith(path)).toList();
  }

  private void answer(HttpExchange call) throws IOException {
    try (call) {
      String body = new String(call.getRequestBody().readAllBytes(), UTF_8);
      received.add(
          new Received(
              call.getRequestURI().toString(), Map.copyOf(call.getRequestHeaders()), body));
      boolean first = "1".equals(call.getRequestHeaders().getFirst("Holdfast-Attempt"));
      switch (call.getRequestURI().getPath().split("/", 3)[1]) {
        case "gone" -> send(call, 410, "gone");
        case "hostile" -> send(call, 410, HOSTILE);
        case "broken" -> send(call, 503, "restarting");
        case "broken-then-silent" -> {
          if (!first) {
            TimeUnit.SECONDS.sleep(5);
          }
          send(call, 503, "restarting");
        }
        default -> send(call, 200, "thanks");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void send(HttpExchange call, int status, String text) throws IOException {
    byte[] bytes = text.getBytes(UTF_8);
    call.sendResponseHeaders(status, bytes.length);
    call.getResponseBody().write(bytes);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
