package dev.holdfast.server.browser;

import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** A Chromium without a screen, with a profile of its own. */
public final class Chromium implements AutoCloseable {
  private static final List<String> NAMES =
      List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");

  private final Process process;
  private final DevTools tools;

  private Chromium(Process process, DevTools tools) {
    this.process = process;
    this.tools = tools;
  }

  /** Where one is installed on this machine. */
  public static Optional<Path> installed() {
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
    return NAMES.stream()
        .flatMap(
            name -> Stream.of(path.split(File.pathSeparator, -1)).map(dir -> Path.of(dir, name)))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Starts it with a profile in this folder. */
  public static Chromium start(Path program, Path profile) throws IOException {
    Process process =
        new ProcessBuilder(
                program.toString(),
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--no-first-run",
                "--no-default-browser-check",
                "--remote-debugging-port=0",
                "--user-data-dir=" + profile,
                "about:blank")
            .redirectErrorStream(true)
            .redirectOutput(profile.resolve("chromium.log").toFile())
            .start();
    Path told = profile.resolve("DevToolsActivePort");
    await()
        .atMost(Duration.ofSeconds(40))
        .pollInterval(Duration.ofMillis(20))
        .until(() -> Files.exists(told) && Files.readAllLines(told).size() == 2);
    List<String> lines = Files.readAllLines(told);
    URI address = URI.create("ws://127.0.0.1:" + lines.get(0) + lines.get(1));
    return new Chromium(process, new DevTools(address));
  }

  /** A page that shares nothing with others: no cookie, no storage. */
  public Page page() {
    String context =
        tools.send("", "Target.createBrowserContext", Map.of()).get("browserContextId").asString();
    JsonNode target =
        tools.send(
            "",
            "Target.createTarget",
            Map.of("url", "about:blank", "browserContextId", context, "newWindow", true));
    String id = target.get("targetId").asString();
    JsonNode attached =
        tools.send("", "Target.attachToTarget", Map.of("targetId", id, "flatten", true));
    return new Page(tools, attached.get("sessionId").asString(), context);
  }

  @Override
  public void close() {
    tools.post("", "Browser.close", Map.of());
    try {
      if (!process.waitFor(5, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    tools.close();
  }
}
