package dev.holdfast.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/**
 * A real Redis server of one test, which can be killed and started again: as a single one, a
 * replica, a node of a cluster, or a Sentinel. It keeps nothing on disk, so that one that is
 * started again has no data. Ended with this JVM at the latest.
 */
public final class KillableRedis implements AutoCloseable {
  private final ServerFolder folder;
  private final int port;

  private KillableRedis(ServerFolder folder, int port) {
    this.folder = folder;
    this.port = port;
  }

  /** A server with these options on its command line, such as {@code --cluster-enabled yes}. */
  public static KillableRedis start(String... options) {
    Selection.require("redis");
    ServerFolder folder = ServerFolder.create("redis", Map.of());
    return serve(
        folder,
        free -> {
          List<String> command = RedisServer.command(folder, free);
          command.addAll(List.of(options));
          return command;
        },
        "Ready to accept connections");
  }

  /**
   * A Sentinel that watches the master at this port, and alone decides that it is down.
   *
   * @param name what clients call the master
   */
  public static KillableRedis sentinel(String name, int masterPort) {
    Selection.require("redis");
    ServerFolder folder = ServerFolder.create("redis", Map.of());
    Path file = folder.data().resolve("sentinel.conf");
    write(
        file,
        """
        sentinel monitor %1$s 127.0.0.1 %2$d 1
        sentinel down-after-milliseconds %1$s 500
        sentinel failover-timeout %1$s 3000
        """
            .formatted(name, masterPort));
    return serve(
        folder,
        free -> {
          List<String> command = new ArrayList<>();
          command.add(RedisServer.program().toString());
          command.add(file.toString());
          command.add("--sentinel");
          command.addAll(RedisServer.options(folder, free));
          return command;
        },
        "+monitor master");
  }

  private static KillableRedis serve(
      ServerFolder folder, IntFunction<List<String>> command, String ready) {
    return new KillableRedis(folder, folder.serve(command, ready));
  }

  public int port() {
    return port;
  }

  /** Such as {@code redis://127.0.0.1:41234}. */
  public String uri() {
    return "redis://127.0.0.1:" + port;
  }

  /** Ends it at once, as kill -9 does. */
  public void kill() {
    folder.killServer();
  }

  /** Starts it at the same port after it was killed, without its data. */
  public void restart() {
    folder.serveAgain();
  }

  @Override
  public void close() {
    kill();
  }

  private static void write(Path file, String text) {
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + file, e);
    }
  }
}
