package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.server.browser.Chromium;
import dev.holdfast.server.browser.Page;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * The dashboard in a real browser: one server and one Chromium for all tests, a fresh page for
 * each. The server is mounted under a path, as behind a proxy. A test fails if the page has
 * complained, of a script or of the content security policy.
 */
final class Dashboard implements BeforeEachCallback, AfterEachCallback, ParameterResolver {
  static final String PATH = "/tools/holdfast";

  private static final Duration STOP_LIMIT = Duration.ofSeconds(30);
  private static final Namespace NAMESPACE = Namespace.create(Dashboard.class);

  /** What all tests share. */
  private static final class Shared implements AutoCloseable {
    private final Path folder;
    private final ServerProcess server;
    private final Chromium browser;

    Shared(Path program) {
      try {
        folder = Files.createTempDirectory("holdfast-browser");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        server = ServerProcess.serving(folder.resolve("data"), "--path=" + PATH);
        browser = Chromium.start(program, Files.createDirectory(folder.resolve("profile")));
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public void close() throws IOException {
      browser.close();
      try {
        server.terminate().exitCode(STOP_LIMIT);
      } catch (InterruptedException e) {
        server.close();
        Thread.currentThread().interrupt();
      }
      try (Stream<Path> all = Files.walk(folder)) {
        all.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
      }
    }
  }

  /** The page of a test, and the way in. */
  record Visit(Page page, ServerProcess server) {
    String address(String hash) {
      return server.told("address") + hash;
    }

    /** Signs in through the API and opens this view. */
    Page open(String hash) {
      try {
        String[] cookie = server.signIn().split("[=;]", 3);
        page.cookie(address(""), cookie[0], cookie[1]);
      } catch (IOException | InterruptedException e) {
        throw new AssertionError(e);
      }
      page.open(address(hash));
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
    Visit visit = new Visit(shared.browser.page(), shared.server);
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
