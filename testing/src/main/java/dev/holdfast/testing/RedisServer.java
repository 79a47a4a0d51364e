package dev.holdfast.testing;

import dev.holdfast.embedded.internal.Binaries;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A Redis server of this JVM that keeps nothing on disk. */
final class RedisServer {

  private static final String PROGRAM = "/redis-server-6.2.6-v5-linux-amd64";

  private RedisServer() {}

  static ServerAddress start() {
    ServerFolder folder = ServerFolder.create("redis", Map.of());
    int port = folder.serve(free -> command(folder, free), "Ready to accept connections");
    return new ServerAddress("redis://127.0.0.1:" + port, "", "");
  }

  /** To be added to. */
  static List<String> command(ServerFolder folder, int port) {
    List<String> command = new ArrayList<>();
    command.add(program().toString());
    command.addAll(options(folder, port));
    command.add("--save");
    command.add("");
    return command;
  }

  static Path program() {
    return TestBinaries.of("redis", PROGRAM, RedisServer::unpack).resolve("bin/redis-server");
  }

  static List<String> options(ServerFolder folder, int port) {
    return List.of(
        "--port",
        Integer.toString(port),
        "--bind",
        "127.0.0.1",
        "--dir",
        folder.data().toString(),
        "--set-proc-title", // a title would hide the folder from the reaper
        "no");
  }

  private static void unpack(Path jar, Path folder) throws IOException {
    Path programs = Files.createDirectory(folder.resolve("bin"));
    try (FileSystem content = FileSystems.newFileSystem(jar)) {
      Files.copy(content.getPath(PROGRAM), programs.resolve("redis-server"));
    }
    Binaries.makeExecutable(programs);
  }
}
