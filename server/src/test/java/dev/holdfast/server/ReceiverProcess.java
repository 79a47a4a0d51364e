package dev.holdfast.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.server.HookReceiver.Line;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A {@link HookReceiver} as a process of its own. */
record ReceiverProcess(Process process, int port, Path log) implements AutoCloseable {
  static ReceiverProcess start(String secret, Path log) throws IOException {
    Files.createFile(log);
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-cp",
                System.getProperty("java.class.path"),
                HookReceiver.class.getName(),
                secret,
                log.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String line = process.inputReader(UTF_8).readLine();
    return new ReceiverProcess(process, Integer.parseInt(line.replaceAll("\\D", "")), log);
  }

  String url(String path) {
    return "http://127.0.0.1:" + port + path;
  }

  List<Line> lines() throws IOException {
    return HookReceiver.read(log);
  }

  List<Line> successes() throws IOException {
    return lines().stream().filter(Line::success).toList();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
