package dev.holdfast.server.browser;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URI;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * Answers in place of the service, for what a service shows seldom: trouble, hostile texts, changes
 * by others. What no rule fits goes to the service. The newest rule that fits wins.
 */
public final class Answers {
  private final DevTools tools;
  private final String session;
  private final List<Rule> rules = new CopyOnWriteArrayList<>();
  private final List<Request> requests = new CopyOnWriteArrayList<>();

  private volatile boolean cut;

  private record Rule(String method, Pattern path, int status, String type, String body) {}

  /** What the page has asked for; the path begins behind {@code v1/}. */
  public record Request(String method, String path, String body, String ifMatch, String csrf) {}

  Answers(DevTools tools, String session) {
    this.tools = tools;
    this.session = session;
    tools.listen(session, this::told);
    tools.send(
        session, "Fetch.enable", Map.of("patterns", List.of(Map.of("urlPattern", "*/v1/*"))));
  }

  /** Answers with JSON and the tag {@code "7"}. */
  public Answers give(String method, String path, int status, String json) {
    rules.add(0, new Rule(method, Pattern.compile(path), status, "application/json", json));
    return this;
  }

  /** Answers with a stream of one event, which the browser soon asks for again. */
  public Answers stream(String name, String json) {
    String text = "retry: 300\nevent: " + name + "\ndata: " + json.replace("\n", "") + "\n\n";
    rules.add(0, new Rule("GET", Pattern.compile("stream"), 200, "text/event-stream", text));
    return this;
  }

  /** Cuts the connection to all, until {@link #reachable}. */
  public void unreachable() {
    cut = true;
  }

  public void reachable() {
    cut = false;
  }

  /** The newest request of this method whose path fits; it has been made. */
  public Request newest(String method, String path) {
    List<Request> fitting =
        requests.stream()
            .filter(one -> one.method.equals(method) && one.path.matches(path))
            .toList();
    if (fitting.isEmpty()) {
      throw new AssertionError("no " + method + " " + path + " in " + requests);
    }
    return fitting.get(fitting.size() - 1);
  }

  public long count(String method, String path) {
    return requests.stream()
        .filter(one -> one.method.equals(method) && one.path.matches(path))
        .count();
  }

  private void told(String name, JsonNode parameters) {
    if (name.equals("Fetch.requestPaused")) {
      JsonNode asked = parameters.get("request");
      String url = asked.get("url").asString();
      String path = URI.create(url).getRawPath().replaceFirst("^.*?/v1/", "");
      Request request =
          new Request(
              asked.get("method").asString(),
              path,
              asked.path("postData").asString(""),
              asked.path("headers").path("If-Match").asString(""),
              asked.path("headers").path("X-CSRF-Token").asString(""));
      requests.add(request);
      answer(parameters.get("requestId").asString(), request);
    }
  }

  private void answer(String id, Request request) {
    if (cut) {
      tools.post(
          session,
          "Fetch.failRequest",
          Map.of("requestId", id, "errorReason", "ConnectionRefused"));
      return;
    }
    for (Rule rule : rules) {
      if (rule.method.equals(request.method) && rule.path.matcher(request.path).matches()) {
        List<Map<String, String>> headers = new ArrayList<>();
        headers.add(Map.of("name", "Content-Type", "value", rule.type));
        headers.add(Map.of("name", "ETag", "value", "\"7\""));
        String body = Base64.getEncoder().encodeToString(rule.body.getBytes(UTF_8));
        tools.post(
            session,
            "Fetch.fulfillRequest",
            Map.of(
                "requestId", id,
                "responseCode", rule.status,
                "responseHeaders", headers,
                "body", body));
        return;
      }
    }
    tools.post(session, "Fetch.continueRequest", Map.of("requestId", id));
  }
}
