package dev.holdfast.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The programs of the servers, unpacked from their jars once per user and version.
 *
 * <p>They are kept in the folder given as the system property {@code holdfast.test.cache}, else in
 * {@code ~/.cache/holdfast-testing}, or in a folder of the user in the temporary folder for root
 * and when there is no home to write to. An unpacked folder appears whole or not at all, also when
 * several JVMs unpack at once or one is killed while it does.
 */
final class Binaries {

  private Binaries() {}

  /** Puts the content of a jar into an empty folder. */
  @FunctionalInterface
  interface Unpacker {
    void unpack(Path jar, Path folder) throws IOException;
  }

  /**
   * The folder into which the jar with this resource is unpacked.
   *
   * @throws IllegalStateException if no jar on the class path has it
   */
  static synchronized Path of(String kind, String resource, Unpacker unpacker) {
    URL url = Binaries.class.getResource(resource);
    if (url == null || !System.getProperty("os.name").equals("Linux")) {
      throw new IllegalStateException(
          "There is no embedded %s for %s on %s: %s"
              .formatted(
                  kind,
                  System.getProperty("os.name"),
                  System.getProperty("os.arch"),
                  ServerAddress.howToGive(kind)));
    }
    try {
      Path jar = jar(url);
      Path folder = cache().resolve(jar.getFileName() + "-" + Files.size(jar));
      if (!Files.isDirectory(folder)) {
        unpackAlone(jar, folder, unpacker);
      }
      return folder;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot unpack " + url, e);
    }
  }

  /** Lets the user run all the files of a folder: jars and zip file systems keep no permissions. */
  static void makeExecutable(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
      }
    }
  }

  private static Path jar(URL resource) throws IOException {
    if (!(resource.openConnection() instanceof JarURLConnection connection)) {
      throw new IOException(resource + " is not in a jar");
    }
    try {
      return Path.of(connection.getJarFileURL().toURI());
    } catch (URISyntaxException e) {
      throw new IOException(e);
    }
  }

  private static void unpackAlone(Path jar, Path folder, Unpacker unpacker) throws IOException {
    Path lock = folder.resolveSibling(folder.getFileName() + ".lock");
    try (FileChannel channel =
        FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      channel.lock();
      if (Files.isDirectory(folder)) {
        return;
      }
      Path partial = folder.resolveSibling(folder.getFileName() + ".partial");
      delete(partial);
      Files.createDirectory(partial);
      unpacker.unpack(jar, partial);
      Files.move(partial, folder, StandardCopyOption.ATOMIC_MOVE);
    }
  }

  static Path cache() throws IOException {
    String given = System.getProperty("holdfast.test.cache");
    Path cache = given == null ? defaultCache() : Path.of(given).toAbsolutePath();
    Files.createDirectories(cache);
    if (!User.owns(cache)) {
      throw new IOException(
          cache + " belongs to another user: give another folder with -Dholdfast.test.cache");
    }
    return cache;
  }

  /** Not the home of root, where the user nobody could not run a program. */
  private static Path defaultCache() {
    Path home = Path.of(System.getProperty("user.home"));
    return home.isAbsolute() && Files.isWritable(home) && !User.isRoot()
        ? home.resolve(".cache/holdfast-testing")
        : Path.of(System.getProperty("java.io.tmpdir"), "holdfast-testing-" + User.id());
  }

  private static void delete(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    List<Path> paths;
    try (Stream<Path> walk = Files.walk(folder)) {
      paths = walk.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : paths) {
      Files.delete(path);
    }
  }
}
