package dev.holdfast.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;

/** A service that answers what it was told to, one after the other, over a real socket. */
final class FakeService implements AutoCloseable {
  /** What was asked of it. */
  record Request(String line, String token, String ifMatch, String body) {}

  private record Reply(int status, String body, List<String> headers) {}

  final List<Request> requests = Collections.synchronizedList(new ArrayList<>());
  private final Deque<Reply> replies = new ArrayDeque<>();
  private final HttpServer server;

  FakeService() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  String address() {
    return "http://localhost:" + server.getAddress().getPort() + "/holdfast/";
  }

  FakeService then(int status, String body, String... headers) {
    replies.add(new Reply(status, body, List.of(headers)));
    return this;
  }

  /** Takes the request and ends the connection instead of an answer. */
  FakeService thenNoAnswer() {
    return then(0, "");
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      requests.add(
          new Request(
              exchange.getRequestMethod() + " " + exchange.getRequestURI(),
              String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")),
              String.valueOf(exchange.getRequestHeaders().getFirst("If-Match")),
              new String(exchange.getRequestBody().readAllBytes(), UTF_8)));
      Reply reply = replies.remove();
      if (reply.status == 0) {
        throw new IOException("as told");
      }
      for (int index = 0; index < reply.headers.size(); index += 2) {
        exchange.getResponseHeaders().add(reply.headers.get(index), reply.headers.get(index + 1));
      }
      byte[] body = reply.body.getBytes(UTF_8);
      exchange.sendResponseHeaders(reply.status, body.length == 0 ? -1 : body.length);
      exchange.getResponseBody().write(body);
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
