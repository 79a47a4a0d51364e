package dev.holdfast.webhook;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Somebody who gets webhooks, over real sockets. */
final class WebhookReceiver implements AutoCloseable {
  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Request> requests = new CopyOnWriteArrayList<>();

  /** What has arrived. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Request(Map<String, List<String>> headers, String path, byte[] body) {
    String header(String name) {
      return headers.entrySet().stream()
          .filter(header -> header.getKey().equalsIgnoreCase(name))
          .map(header -> header.getValue().get(0))
          .findFirst()
          .orElse("");
    }

    String id() {
      return header("webhook-id");
    }
  }

  /** What is answered. */
  record Answer(int status, Map<String, String> headers, String body) {
    static Answer of(int status) {
      return new Answer(status, Map.of(), "");
    }
  }

  /** Says what is answered to a request. */
  @FunctionalInterface
  interface Script {
    /** The answer to this request, the first being number 1. */
    Answer answer(Request request, int number) throws Exception;
  }

  private WebhookReceiver(Script script) throws IOException {
    this.server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 4096);
    server.setExecutor(threads);
    server.createContext("/", exchange -> serve(exchange, script));
    server.start();
  }

  static WebhookReceiver answering(int status) {
    return doing((request, number) -> Answer.of(status));
  }

  static WebhookReceiver doing(Script script) {
    try {
      return new WebhookReceiver(script);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private void serve(HttpExchange exchange, Script script) throws IOException {
    try (exchange) {
      Request request =
          new Request(
              Map.copyOf(exchange.getRequestHeaders()),
              exchange.getRequestURI().toString(),
              exchange.getRequestBody().readAllBytes());
      int number;
      synchronized (requests) {
        requests.add(request);
        number = requests.size();
      }
      Answer answer = script.answer(request, number);
      answer.headers().forEach(exchange.getResponseHeaders()::set);
      byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(answer.status(), body.length == 0 ? -1 : body.length);
      exchange.getResponseBody().write(body);
    } catch (IOException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException(e);
    }
  }

  List<Request> requests() {
    return requests;
  }

  String url() {
    return url("127.0.0.1");
  }

  /** By a name, which must resolve to this machine. */
  String url(String host) {
    return "http://" + host + ":" + server.getAddress().getPort() + "/hook";
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
