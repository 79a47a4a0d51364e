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
    return start(newFolder(), settings);
  }

  static ServerFolder newFolder() {
    return ServerFolder.create("postgresql", Map.of("LC_ALL", "C"));
  }

  static ServerAddress start(ServerFolder folder, Map<String, String> settings) {
    Path programs = Binaries.of("postgresql", ARCHIVE, PostgreSqlServer::unpack).resolve("bin");
    List<String> unprivileged = Unprivileged.prefix(folder.path());
    folder.run(initialize(unprivileged, programs, folder.data()));
    int port =
        folder.serve(
            free -> serve(unprivileged, programs, folder.data(), free, settings),
            "ready to accept connections");
    return new ServerAddress("jdbc:postgresql://127.0.0.1:" + port + "/postgres", "postgres", "");
  }

  private static List<String> initialize(List<String> prefix, Path programs, Path data) {
    List<String> command = new ArrayList<>(prefix);
    command.add(programs.resolve("initdb").toString());
    command.add("--pgdata=" + data);
    command.add("--username=postgres");
    command.add("--auth=trust");
    command.add("--encoding=UTF8");
    command.add("--locale=C");
    command.add("--no-sync");
    return command;
  }

  private static List<String> serve(
      List<String> prefix, Path programs, Path data, int port, Map<String, String> settings) {
    List<String> command = new ArrayList<>(prefix);
    command.add(programs.resolve("postgres").toString());
    command.addAll(List.of("-D", data.toString()));
    command.add("--port=" + port);
    command.add("--listen_addresses=127.0.0.1");
    command.add("--unix_socket_directories=");
    command.add("--max_connections=300");
    command.add("--timezone=UTC");
    settings.forEach((name, value) -> command.add("--" + name + "=" + value));
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
