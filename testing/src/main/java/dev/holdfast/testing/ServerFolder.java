package dev.holdfast.testing;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import dev.holdfast.embedded.internal.Detached;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A temporary folder in which one server runs: its data, its log, and the commands that make and
 * start it. A {@link Reaper} ends both with this JVM, so every command must name {@link #data()}.
 */
final class ServerFolder {

  private static final int PORTS_TO_TRY = 5;
  private static final int PORTS_TO_LOOK_AT = 100;
  private static final int LOWEST_PORT = 10_000;
  private static final int HIGHEST_PORT = 22_000;
  private static final long START_LIMIT = SECONDS.toNanos(60);

  private static final FileAttribute<?> OF_THE_USER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private final String server;
  private final Path folder;
  private final Map<String, String> environment;

  private @Nullable Server running;

  /** A server that was started, and what says that it is ready. */
  private record Server(Process process, List<String> command, String readyMessage) {}

  private ServerFolder(String server, Path folder, Map<String, String> environment) {
    this.server = server;
    this.folder = folder;
    this.environment = environment;
  }

  static ServerFolder create(String server, Map<String, String> environment) {
    OptionalDependency.EMBEDDED.require(
        "An embedded " + server + " server", ServerAddress.howToGive(server));
    String name =
        "holdfast-%s-%d-%s".formatted(server, ProcessHandle.current().pid(), UUID.randomUUID());
    Path folder = Path.of(System.getProperty("java.io.tmpdir"), name).toAbsolutePath();
    Reaper.watch(folder);
    try {
      Files.createDirectory(folder, OF_THE_USER_ONLY);
      Files.createDirectory(folder.resolve("data"));
      return new ServerFolder(server, folder, environment);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot make a folder for " + server, e);
    }
  }

  Path path() {
    return folder;
  }

  Path data() {
    return folder.resolve("data");
  }

  /** Runs a command to its end. */
  void run(List<String> command) {
    try {
      Process process = start(command);
      if (!process.waitFor(START_LIMIT, NANOSECONDS)) {
        process.destroyForcibly();
        throw failed(command, "has not ended in time");
      }
      if (process.exitValue() != 0) {
        throw failed(command, "ended with code " + process.exitValue());
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot prepare " + server, e);
    } catch (InterruptedException e) {
      throw interrupted();
    }
  }

  /**
   * Starts the server on a free port and waits until its log says that it is ready.
   *
   * <p>Another process may take the port before the server does; the server then ends, and is
   * started again on another one. Its own log, unlike a connection to the port, cannot be mistaken
   * for that of the other process.
   *
   * @return the port
   */
  int serve(IntFunction<List<String>> commandForPort, String readyMessage) {
    for (int attempt = 1; ; attempt++) {
      try {
        int port = freePort();
        List<String> command = commandForPort.apply(port);
        Process process = start(command);
        if (awaitReady(process, command, readyMessage)) {
          running = new Server(process, command, readyMessage);
          return port;
        }
        if (attempt == PORTS_TO_TRY) {
          throw failed(command, "ended with code " + process.exitValue());
        }
      } catch (IOException e) {
        throw new UncheckedIOException("cannot start " + server, e);
      } catch (InterruptedException e) {
        throw interrupted();
      }
    }
  }

  /** Kills the server, which has no chance to say anything to anybody. */
  void killServer() {
    try {
      server().process.destroyForcibly().waitFor();
    } catch (InterruptedException e) {
      throw interrupted();
    }
  }

  /**
   * Starts the server that was killed with the same command. As long as processes of the former one
   * have not noticed that it is gone, it refuses to start.
   */
  void serveAgain() {
    Server former = server();
    long start = System.nanoTime();
    try {
      while (true) {
        Process process = start(former.command);
        if (awaitReady(process, former.command, former.readyMessage)) {
          running = new Server(process, former.command, former.readyMessage);
          return;
        }
        if (System.nanoTime() - start > START_LIMIT) {
          throw failed(former.command, "ended with code " + process.exitValue());
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + server + " again", e);
    } catch (InterruptedException e) {
      throw interrupted();
    }
  }

  private Server server() {
    if (running == null) {
      throw new IllegalStateException("a server must have been started in " + folder);
    }
    return running;
  }

  private Process start(List<String> command) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(Detached.command(command))
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log().toFile());
    builder.environment().putAll(environment);
    // MariaDB, when it starts, deletes what looks like left-over tables of others in a shared one
    builder.environment().put("TMPDIR", folder.toString());
    Process process = builder.start();
    process.getOutputStream().close();
    return process;
  }

  /** Returns false if the server has ended instead. */
  private boolean awaitReady(Process process, List<String> command, String message)
      throws IOException, InterruptedException {
    long start = System.nanoTime();
    while (!Files.readString(log()).contains(message)) {
      if (process.waitFor(20, MILLISECONDS)) {
        return false;
      }
      if (System.nanoTime() - start > START_LIMIT) {
        process.destroyForcibly();
        throw failed(command, "has not said '" + message + "' in time");
      }
    }
    return true;
  }

  /**
   * Below the ports that Linux gives to outgoing connections: one of those could take the port
   * while its server is killed, and a client that connects to it then could meet itself. And low
   * enough for the second port of a node of a Redis Cluster, which is 10,000 above.
   */
  private static int freePort() throws IOException {
    for (int attempt = 1; ; attempt++) {
      int port = ThreadLocalRandom.current().nextInt(LOWEST_PORT, HIGHEST_PORT);
      try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return socket.getLocalPort();
      } catch (BindException e) {
        if (attempt == PORTS_TO_LOOK_AT) {
          throw e;
        }
      }
    }
  }

  private Path log() {
    return folder.resolve("server.log");
  }

  private IllegalStateException failed(List<String> command, String what) throws IOException {
    return new IllegalStateException(
        "%s %s. It wrote:%n%s%nTo do without it, %s."
            .formatted(
                String.join(" ", command),
                what,
                Files.readString(log()),
                ServerAddress.howToGive(server)));
  }

  private UncheckedIOException interrupted() {
    Thread.currentThread().interrupt();
    return new UncheckedIOException(
        new InterruptedIOException("interrupted while starting " + server));
  }
}
