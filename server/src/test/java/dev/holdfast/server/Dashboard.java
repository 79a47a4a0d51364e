package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.server.browser.Chromium;
import dev.holdfast.server.browser.Page;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The dashboard in a real browser: one server and one Chromium for all tests, a fresh page for
 * each. The server is mounted under a path, as behind a proxy. A test fails if the page has
 * complained, of a script or of the content security policy.
 */
final class Dashboard implements BeforeEachCallback, AfterEachCallback, ParameterResolver {
  static final String PATH = "/tools/holdfast";

  /** Each visit has an address of these. */
  private static final String TARGETS = "127.1.0.0/16";

  private static final Duration LIMIT = Duration.ofSeconds(40);
  private static final JsonMapper JSON = new JsonMapper();
  private static final Duration STOP_LIMIT = Duration.ofSeconds(30);
  private static final Namespace NAMESPACE = Namespace.create(Dashboard.class);

  /** What all tests share. */
  private static final class Shared implements AutoCloseable {
    private final Path folder;
    private final CallTarget target;
    private final ServerProcess server;
    private final Chromium browser;
    private final AtomicInteger visits = new AtomicInteger();
    private @Nullable ServerProcess empty;

    Shared(Path program) {
      try {
        folder = Files.createTempDirectory("holdfast-browser");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        target = new CallTarget();
        server =
            ServerProcess.serving(folder.resolve("data"), "--path=" + PATH, "--allow=" + TARGETS);
        browser = Chromium.start(program, Files.createDirectory(folder.resolve("profile")));
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }

    /** A second server, on which nothing is ever made. */
    synchronized ServerProcess empty() {
      try {
        if (empty == null) {
          empty = ServerProcess.serving(folder.resolve("empty"), "--path=" + PATH);
        }
        return empty;
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public void close() throws IOException {
      browser.close();
      try {
        if (empty != null) {
          empty.terminate();
        }
        server.terminate().exitCode(STOP_LIMIT);
        if (empty != null) {
          empty.exitCode(STOP_LIMIT);
        }
      } catch (InterruptedException e) {
        server.close();
        Thread.currentThread().interrupt();
      }
      target.close();
      try (Stream<Path> all = Files.walk(folder)) {
        all.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
      }
    }
  }

  /**
   * The page of a test, and the way in. The server is real, and so is what it calls.
   *
   * @param number of this visit, so that each has a target of its own: one that fails is left alone
   *     for a while
   */
  record Visit(Page page, Shared shared, int number) {
    ServerProcess server() {
      return shared.server;
    }

    String address(String hash) {
      return server().told("address") + hash;
    }

    /** The URL of what answers as the first part of this path says. */
    String target(String path) {
      return "http://127.1.%d.%d:%d%s"
          .formatted(number / 250, number % 250 + 1, shared.target.port(), path);
    }

    List<CallTarget.Received> received(String path) {
      return shared.target.received(path);
    }

    /** Sends a request with the token; its answer, which is a success. */
    JsonNode send(String method, String path, String json, String... headers) {
      try {
        var answer = server().send(method, "/v1/" + path, json, headers);
        assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 299);
        return JSON.readTree(answer.body().isEmpty() ? "{}" : answer.body());
      } catch (IOException e) {
        throw new AssertionError(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new AssertionError(e);
      }
    }

    JsonNode get(String path) {
      return send("GET", path, "");
    }

    /** Schedules a call of this URL; {@code more} are further members. */
    String put(String key, String url, String more) {
      String event = "{\"target\":{\"url\":\"" + url + "\"}" + more + "}";
      return send("PUT", "events/" + key, event).get("id").asString();
    }

    /** One that has failed, at the target's first answer. */
    String putFailed(String key, String queue) {
      String id =
          put(key, target("/gone"), ",\"retry\":{\"maxAttempts\":1},\"queue\":\"" + queue + "\"");
      awaitStatus(id, "FAILED");
      return id;
    }

    void awaitStatus(String id, String status) {
      await()
          .atMost(LIMIT)
          .pollInterval(Duration.ofMillis(50))
          .until(() -> get("events/" + id).get("status").asString().equals(status));
    }

    /** Makes a schedule that never fires by itself during a test. */
    void schedule(String name) {
      send(
          "PUT",
          "schedules/" + name,
          "{\"recurrence\":\"cron 0 9 1 1 * in Europe/Madrid\",\"target\":{\"url\":\""
              + target("/ok/" + name)
              + "\"}}");
    }

    /** Signs in through the API and opens this view. */
    Page open(String hash) {
      return open(server(), address(hash));
    }

    /** The same of a server without events and schedules. */
    Page openEmpty(String hash) {
      return open(shared.empty(), shared.empty().told("address") + hash);
    }

    /** The same through a relay. */
    Page open(Relay relay, String hash) {
      return open(server(), address(hash).replace(":" + port(), ":" + relay.port()));
    }

    Relay relay() throws IOException {
      return new Relay(port());
    }

    private int port() {
      return URI.create(server().told("address")).getPort();
    }

    private Page open(ServerProcess of, String address) {
      try {
        String[] cookie = of.signIn().split("[=;]", 3);
        page.cookie(address, cookie[0], cookie[1]);
      } catch (IOException | InterruptedException e) {
        throw new AssertionError(e);
      }
      page.open(address);
      page.awaitThat("document.querySelector('.shell main')?.children.length");
      return page;
    }
  }

  /** Skips a test, and says so; on a build server, which must not skip it, it fails. */
  static void withoutChromium(String test, Map<String, String> environment) {
    if ("true".equals(environment.get("CI"))) {
      throw new AssertionError(
          test + " needs a Chromium, none is on the PATH, and CI=true; install one");
    }
    System.out.println("SKIPPED LOUDLY: " + test + " needs a Chromium; install one");
    Assumptions.abort("no Chromium on the PATH");
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    Optional<Path> program = Chromium.installed();
    if (program.isEmpty()) {
      withoutChromium(context.getDisplayName(), System.getenv());
    }
    Shared shared =
        context
            .getRoot()
            .getStore(NAMESPACE)
            .computeIfAbsent(Shared.class, key -> new Shared(program.orElseThrow()), Shared.class);
    Visit visit = new Visit(shared.browser.page(), shared, shared.visits.incrementAndGet());
    context.getStore(NAMESPACE).put(Visit.class, visit);
  }

  @Override
  public void afterEach(ExtensionContext context) throws IOException {
    Visit visit = context.getStore(NAMESPACE).remove(Visit.class, Visit.class);
    if (visit == null) {
      return;
    }
    try (Page page = visit.page) {
      if (context.getExecutionException().isPresent()) {
        page.picture(Path.of("target", context.getRequiredTestMethod().getName() + ".png"));
      }
      assertThat(page.complaints()).isEmpty();
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == Visit.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Visit visit = context.getStore(NAMESPACE).get(Visit.class, Visit.class);
    if (visit == null) {
      throw new IllegalStateException("a visit begins before each test");
    }
    return visit;
  }
}
