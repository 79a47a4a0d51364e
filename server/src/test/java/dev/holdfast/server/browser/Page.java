package dev.holdfast.server.browser;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A page of the browser, used as a person uses it: by what is seen, clicked and typed. */
public final class Page implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final JsonMapper JSON = new JsonMapper();

  private final DevTools tools;
  private final String session;
  private final String context;
  private final List<String> complaints = new CopyOnWriteArrayList<>();

  Page(DevTools tools, String session, String context) {
    this.tools = tools;
    this.session = session;
    this.context = context;
    tools.listen(session, this::told);
    for (String domain : List.of("Page", "Runtime", "Log", "Network")) {
      send(domain + ".enable", Map.of());
    }
    desktop();
  }

  private JsonNode send(String method, Map<String, ?> parameters) {
    return tools.send(session, method, parameters);
  }

  private void told(String method, JsonNode parameters) {
    switch (method) {
      case "Runtime.exceptionThrown" ->
          complaints.add(parameters.path("exceptionDetails").toString());
      case "Runtime.consoleAPICalled" -> {
        if (List.of("error", "warning", "assert").contains(parameters.path("type").asString())) {
          complaints.add(parameters.path("args").toString());
        }
      }
      case "Log.entryAdded" -> {
        // a refused request is the business of the test that made it
        JsonNode entry = parameters.path("entry");
        if (!"network".equals(entry.path("source").asString())
            && List.of("error", "warning").contains(entry.path("level").asString())) {
          complaints.add(entry.toString());
        }
      }
      case "Page.javascriptDialogOpening" -> complaints.add("a script has opened a dialog");
      default -> {}
    }
  }

  /** Errors of scripts, of the console and of the content security policy, so far. */
  public List<String> complaints() {
    return List.copyOf(complaints);
  }

  public void desktop() {
    size(1280, 900, false);
  }

  /** The narrowest that people have. */
  public void phone() {
    size(360, 740, true);
  }

  private void size(int width, int height, boolean mobile) {
    send(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", mobile));
  }

  /** What the system of the user prefers: {@code light} or {@code dark}. */
  public void prefers(String scheme) {
    send(
        "Emulation.setEmulatedMedia",
        Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
  }

  public void cookie(String address, String name, String value) {
    send("Network.setCookie", Map.of("url", address, "name", name, "value", value));
  }

  public void open(String address) {
    send("Page.navigate", Map.of("url", "about:blank"));
    send("Page.navigate", Map.of("url", address));
  }

  /** What a script says; a promise is waited for. */
  public JsonNode evaluate(String script) {
    JsonNode told =
        send(
            "Runtime.evaluate",
            Map.of("expression", script, "returnByValue", true, "awaitPromise", true));
    if (told.has("exceptionDetails")) {
      throw new AssertionError(script + ": " + told.get("exceptionDetails"));
    }
    return told.path("result").path("value");
  }

  /** The text of the page as a person sees it. */
  public String text() {
    return evaluate("document.body.innerText").asString();
  }

  public Page awaitText(String text) {
    return awaitThat("document.body.innerText.includes(" + quoted(text) + ")");
  }

  public Page awaitGone(String text) {
    return awaitThat("!document.body.innerText.includes(" + quoted(text) + ")");
  }

  /** Until this script is true. */
  public Page awaitThat(String script) {
    try {
      await()
          .atMost(PATIENCE)
          .pollInterval(Duration.ofMillis(30))
          .ignoreExceptions()
          .until(() -> evaluate("Boolean(" + script + ")").asBoolean());
    } catch (org.awaitility.core.ConditionTimeoutException e) {
      throw new AssertionError(
          "never true: " + script + "\non the page:\n" + text() + "\n" + complaints, e);
    }
    return this;
  }

  /** Clicks in the middle of what this selector finds, as a mouse does; it must be seen. */
  public Page click(String selector) {
    return clickAt("document.querySelector(" + quoted(selector) + ")");
  }

  /** Clicks the button or the link with this text; in a dialog, if one is open. */
  public Page press(String text) {
    return clickAt(
        "[...(document.querySelector('dialog[open]') ?? document).querySelectorAll('button,a')]"
            + ".find(one => one.innerText.trim() === "
            + quoted(text)
            + " || one.getAttribute('aria-label') === "
            + quoted(text)
            + ")");
  }

  private Page clickAt(String element) {
    awaitThat(element + " && !" + element + ".disabled");
    JsonNode middle =
        evaluate(
            "(() => { const one = "
                + element
                + "; one.scrollIntoView({block: 'center'}); const box = one.getClientRects()[0];"
                + " return [box.x + box.width / 2, box.y + box.height / 2]; })()");
    for (String type : List.of("mousePressed", "mouseReleased")) {
      send(
          "Input.dispatchMouseEvent",
          Map.of(
              "type",
              type,
              "x",
              middle.get(0).asDouble(),
              "y",
              middle.get(1).asDouble(),
              "button",
              "left",
              "clickCount",
              1));
    }
    return this;
  }

  /** Types into a field, instead of what it holds. */
  public Page type(String selector, String text) {
    awaitThat("document.querySelector(" + quoted(selector) + ")");
    evaluate(
        "(() => { const one = document.querySelector("
            + quoted(selector)
            + "); one.focus(); one.select(); })()");
    send("Input.insertText", Map.of("text", text));
    return this;
  }

  /** Presses a key that makes no text, such as {@code Tab}. */
  public Page key(String key) {
    for (String type : List.of("rawKeyDown", "keyUp")) {
      int code = key.equals("Tab") ? 9 : key.equals("Escape") ? 27 : 13;
      send(
          "Input.dispatchKeyEvent",
          Map.of("type", type, "key", key, "code", key, "windowsVirtualKeyCode", code));
    }
    return this;
  }

  /** A picture of what is seen. */
  public void picture(Path file) throws IOException {
    String data = send("Page.captureScreenshot", Map.of("format", "png")).get("data").asString();
    Files.write(file, Base64.getDecoder().decode(data));
  }

  public static String quoted(String text) {
    return JSON.writeValueAsString(text);
  }

  @Override
  public void close() {
    tools.send("", "Target.disposeBrowserContext", Map.of("browserContextId", context));
  }
}
