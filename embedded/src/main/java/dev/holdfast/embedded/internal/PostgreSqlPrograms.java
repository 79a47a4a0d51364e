package dev.holdfast.embedded.internal;

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

/**
 * The programs of PostgreSQL, and the commands that run them.
 *
 * @param programs the folder in which they are
 * @param prefix the words before each command, for root, who must not run them
 */
public record PostgreSqlPrograms(Path programs, List<String> prefix) {

  private static final String ARCHIVE = "/postgres-linux-x86_64.txz";

  /** Those of these binaries, to work in this folder. */
  public static PostgreSqlPrograms of(Binaries binaries, Path folder) {
    Path home = binaries.of("postgresql", ARCHIVE, PostgreSqlPrograms::unpack);
    return new PostgreSqlPrograms(home.resolve("bin"), Unprivileged.prefix(folder));
  }

  /** Makes an empty database cluster. */
  public List<String> initialize(Path data, List<String> options) {
    List<String> command = new ArrayList<>(prefix);
    command.add(programs.resolve("initdb").toString());
    command.add("--pgdata=" + data);
    command.add("--username=postgres");
    command.add("--encoding=UTF8");
    command.add("--locale=C");
    command.addAll(options);
    return command;
  }

  /** Serves it on a port of the loopback address. */
  public List<String> serve(Path data, int port, Map<String, String> settings) {
    List<String> command = new ArrayList<>(prefix);
    command.add(programs.resolve("postgres").toString());
    command.addAll(List.of("-D", data.toString()));
    command.add("--port=" + port);
    command.add("--listen_addresses=127.0.0.1");
    command.add("--unix_socket_directories=");
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
