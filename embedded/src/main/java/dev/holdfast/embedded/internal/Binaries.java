package dev.holdfast.embedded.internal;

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
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * The programs of servers, unpacked from their jars into a folder once per version.
 *
 * <p>An unpacked folder appears whole or not at all, also when several JVMs unpack at once or one
 * is killed while it does. Immutable and thread-safe.
 */
public final class Binaries {

  private final Path cache;
  private final UnaryOperator<String> wayOut;
  private final Consumer<String> progress;

  /** Puts the content of a jar into an empty folder. */
  @FunctionalInterface
  public interface Unpacker {
    void unpack(Path jar, Path folder) throws IOException;
  }

  private Binaries(Path cache, UnaryOperator<String> wayOut, Consumer<String> progress) {
    this.cache = cache;
    this.wayOut = wayOut;
    this.progress = progress;
  }

  /**
   * Those in a folder, which is made where it is missing.
   *
   * @param wayOut from the kind of server to what to do where there is none for this machine
   * @param progress is told before something is unpacked
   * @throws IOException where the folder cannot be made or belongs to somebody else
   */
  public static Binaries in(Path cache, UnaryOperator<String> wayOut, Consumer<String> progress)
      throws IOException {
    Files.createDirectories(cache);
    if (!User.owns(cache)) {
      throw new IOException(cache + " belongs to another user: give another folder");
    }
    return new Binaries(cache, wayOut, progress);
  }

  /**
   * The folder into which the jar with this resource is unpacked.
   *
   * @throws IllegalStateException if no jar on the class path has it
   */
  public Path of(String kind, String resource, Unpacker unpacker) {
    URL url = Binaries.class.getResource(resource);
    if (url == null || !System.getProperty("os.name").equals("Linux")) {
      throw new IllegalStateException(
          "There is no embedded %s for %s on %s: %s"
              .formatted(
                  kind,
                  System.getProperty("os.name"),
                  System.getProperty("os.arch"),
                  wayOut.apply(kind)));
    }
    try {
      Path jar = jar(url);
      Path folder = cache.resolve(jar.getFileName() + "-" + Files.size(jar));
      // a file lock is of the JVM: its threads wait for each other here
      synchronized (Binaries.class) {
        if (!Files.isDirectory(folder)) {
          progress.accept("unpacking " + kind + " into " + folder);
          unpackAlone(jar, folder, unpacker);
        }
      }
      return folder;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot unpack " + url, e);
    }
  }

  /** Lets the user run all the files of a folder: jars and zip file systems keep no permissions. */
  public static void makeExecutable(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
      }
    }
  }

  /** Deletes a folder and all that is in it, if it is there. */
  public static void delete(Path folder) throws IOException {
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
}
