package dev.holdfast.testing;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.tukaani.xz.XZInputStream;

/** A PostgreSQL server of this JVM. */
final class PostgreSqlServer {

  /** As fast as it gets: a crash of the machine may lose everything. */
  static final Map<String, String> FAST =
      Map.of("fsync", "off", "synchronous_commit", "off", "full_page_writes", "off");

  /** As durable as a server in production, with room for some minutes between checkpoints. */
  static final Map<String, String> DURABLE =
      Map.of(
          "fsync", "on",
          "synchronous_commit", "on",
          "full_page_writes", "on",
          "shared_buffers", "128MB",
          "max_wal_size", "4GB");

  private static final String ARCHIVE = "/postgres-linux-x86_64.txz";

  private PostgreSqlServer() {}

  static ServerAddress start(Map<String, String> settings) {
    Path programs = Binaries.of("postgresql", ARCHIVE, PostgreSqlServer::unpack).resolve("bin");
    ServerFolder folder = ServerFolder.create("postgresql", Map.of("LC_ALL", "C"));
    folder.run(
        command(
            programs.resolve("initdb"),
            "--pgdata=" + folder.data(),
            "--username=postgres",
            "--auth=trust",
            "--encoding=UTF8",
            "--locale=C",
            "--no-sync"));
    int port =
        folder.serve(
            free -> {
              List<String> command =
                  command(programs.resolve("postgres"), "-D", folder.data().toString());
              common(free).forEach((name, value) -> command.add("--" + name + "=" + value));
              settings.forEach((name, value) -> command.add("--" + name + "=" + value));
              return command;
            },
            "ready to accept connections");
    return new ServerAddress("jdbc:postgresql://127.0.0.1:" + port + "/postgres", "postgres", "");
  }

  private static Map<String, String> common(int port) {
    return Map.of(
        "port", Integer.toString(port),
        "listen_addresses", "127.0.0.1",
        "unix_socket_directories", "",
        "max_connections", "300",
        "timezone", "UTC");
  }

  /** PostgreSQL refuses root: a user namespace without mappings makes root somebody else. */
  private static List<String> command(Path program, String... arguments) {
    List<String> command = new ArrayList<>();
    if (User.isRoot()) {
      command.addAll(List.of("unshare", "--user"));
    }
    command.add(program.toString());
    command.addAll(List.of(arguments));
    return command;
  }

  private static void unpack(Path jar, Path folder) throws IOException {
    try (FileSystem content = FileSystems.newFileSystem(jar);
        var archive =
            new TarArchiveInputStream(
                new XZInputStream(
                    new BufferedInputStream(Files.newInputStream(content.getPath(ARCHIVE)))))) {
      for (TarArchiveEntry entry = archive.getNextEntry();
          entry != null;
          entry = archive.getNextEntry()) {
        Path target = entry.resolveIn(folder);
        if (entry.isDirectory()) {
          Files.createDirectories(target);
        } else if (entry.isSymbolicLink()) {
          Files.createDirectories(target.getParent());
          Files.createSymbolicLink(target, Path.of(entry.getLinkName()));
        } else {
          Files.createDirectories(target.getParent());
          Files.copy(archive, target);
        }
      }
    }
    Binaries.makeExecutable(folder.resolve("bin"));
  }
}
