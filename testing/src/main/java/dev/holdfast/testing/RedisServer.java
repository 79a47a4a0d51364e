package dev.holdfast.testing;

import dev.holdfast.embedded.internal.Binaries;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A Redis server of this JVM that keeps nothing on disk. */
final class RedisServer {

  private static final String PROGRAM = "/redis-server-6.2.6-v5-linux-amd64";

  private RedisServer() {}

  static ServerAddress start() {
    Path program =
        TestBinaries.of("redis", PROGRAM, RedisServer::unpack).resolve("bin/redis-server");
    ServerFolder folder = ServerFolder.create("redis", Map.of());
    int port =
        folder.serve(
            free ->
                List.of(
                    program.toString(),
                    "--port",
                    Integer.toString(free),
                    "--bind",
                    "127.0.0.1",
                    "--dir",
                    folder.data().toString(),
                    "--save",
                    "",
                    "--set-proc-title", // a title would hide the folder from the reaper
                    "no"),
            "Ready to accept connections");
    return new ServerAddress("redis://127.0.0.1:" + port, "", "");
  }

  private static void unpack(Path jar, Path folder) throws IOException {
    Path programs = Files.createDirectory(folder.resolve("bin"));
    try (FileSystem content = FileSystems.newFileSystem(jar)) {
      Files.copy(content.getPath(PROGRAM), programs.resolve("redis-server"));
    }
    Binaries.makeExecutable(programs);
  }
}
