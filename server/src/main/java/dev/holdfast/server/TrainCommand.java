package dev.holdfast.server;

import dev.holdfast.embedded.internal.Binaries;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.springframework.context.ConfigurableApplicationContext;
import picocli.CommandLine.Command;

/**
 * Starts a server on a temporary folder, asks it for a few things, and stops it: so that a JVM that
 * archives its classes at exit has seen those of a start.
 */
@Command(
    name = "train",
    hidden = true,
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class TrainCommand implements Runnable {
  private static final List<String> PATHS =
      List.of(
          "/", "/ui/main.js", "/v1/instances", "/v1/session", "/v1/nothing", "/readyz", "/livez");

  private final Settings settings;

  TrainCommand(Settings settings) {
    this.settings = settings;
  }

  @Override
  public void run() {
    try {
      Path folder = Files.createTempDirectory("holdfast-train");
      try {
        train(folder);
      } finally {
        Binaries.delete(folder);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot train", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void train(Path folder) throws IOException, InterruptedException {
    ServeCommand serve =
        ServeCommand.parse(settings, "--port=0", "--data=" + folder.resolve("data"));
    settings.get("cache").ifPresent(cache -> serve.database.cache = Path.of(cache));
    InetAddress address = InetAddress.getLoopbackAddress();
    try (Database database = Database.start(serve.database, settings, Progress::say);
        ConfigurableApplicationContext context =
            ServerApplication.start(serve, address, database)) {
      String token = ServerApplication.firstToken(context).orElse("");
      String url = "http://127.0.0.1:" + ServerApplication.port(context);
      for (String path : PATHS) {
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(URI.create(url + path))
                    .header("Authorization", "Bearer " + token)
                    .build(),
                BodyHandlers.ofString());
      }
    }
  }
}
