package dev.holdfast.server.browser;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The DevTools protocol: commands and their answers, and what the browser tells by itself. */
final class DevTools implements AutoCloseable {
  private static final JsonMapper JSON = new JsonMapper();
  private static final int LIMIT_SECONDS = 20;

  private final AtomicInteger number = new AtomicInteger();
  private final Map<Integer, CompletableFuture<JsonNode>> asked = new ConcurrentHashMap<>();
  private final List<Listener> listeners = new CopyOnWriteArrayList<>();
  // apart from the socket, so that a listener may send commands and wait for them
  private final ExecutorService telling =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread thread = new Thread(task, "devtools");
            thread.setDaemon(true);
            return thread;
          });
  private final WebSocket socket;

  DevTools(URI address) {
    this.socket =
        HttpClient.newHttpClient().newWebSocketBuilder().buildAsync(address, new Reader()).join();
  }

  private record Listener(String session, BiConsumer<String, JsonNode> to) {}

  /** Calls this with the name and the parameters of all that a session tells by itself. */
  void listen(String session, BiConsumer<String, JsonNode> to) {
    listeners.add(new Listener(session, to));
  }

  /** Sends a command to a session, or to the browser where that is empty, and waits. */
  JsonNode send(String session, String method, Map<String, ?> parameters) {
    return await(sendAsync(session, method, parameters));
  }

  private static JsonNode await(CompletableFuture<JsonNode> answer) {
    JsonNode told = answer.orTimeout(LIMIT_SECONDS, TimeUnit.SECONDS).join();
    if (told.has("error")) {
      throw new AssertionError(told.get("error").toString());
    }
    return told.path("result");
  }

  /** Sends a command whose answer nobody waits for. */
  void post(String session, String method, Map<String, ?> parameters) {
    var ignored = sendAsync(session, method, parameters);
  }

  private CompletableFuture<JsonNode> sendAsync(
      String session, String method, Map<String, ?> parameters) {
    int id = number.incrementAndGet();
    ObjectNode command = JSON.createObjectNode().put("id", id).put("method", method);
    command.set("params", JSON.valueToTree(parameters));
    if (!session.isEmpty()) {
      command.put("sessionId", session);
    }
    CompletableFuture<JsonNode> answer = new CompletableFuture<>();
    asked.put(id, answer);
    synchronized (this) {
      socket.sendText(command.toString(), true).join();
    }
    return answer;
  }

  private void heard(String text) {
    JsonNode message = JSON.readTree(text);
    if (!message.has("id")) {
      telling.execute(() -> tell(message));
      return;
    }
    CompletableFuture<JsonNode> answer = asked.remove(message.get("id").asInt());
    if (answer != null) {
      answer.complete(message);
    }
  }

  private void tell(JsonNode message) {
    String session = message.path("sessionId").asString("");
    for (Listener listener : listeners) {
      if (listener.session.equals(session)) {
        listener.to.accept(message.path("method").asString(), message.path("params"));
      }
    }
  }

  @Override
  public void close() {
    telling.shutdownNow();
    socket.abort();
  }

  /** Puts the parts of a message together. */
  private final class Reader implements WebSocket.Listener {
    private final StringBuilder parts = new StringBuilder();

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
      parts.append(data);
      if (last) {
        String whole = parts.toString();
        parts.setLength(0);
        heard(whole);
      }
      from.request(1);
      return CompletableFuture.completedStage(null);
    }
  }
}
