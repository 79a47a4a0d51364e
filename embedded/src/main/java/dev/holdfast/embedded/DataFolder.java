package dev.holdfast.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.embedded.internal.User;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A folder with the data of one Holdfast.
 *
 * <ul>
 *   <li>{@code holdfast-data}: a file that says that the folder is ours, and of which kind
 *   <li>{@code lock}: held by the process that has the folder
 *   <li>{@code password}: of the database, for its owner's eyes only
 *   <li>{@code postgresql}: the database itself; there as a whole or not at all
 *   <li>{@code postgresql.log}: what it says, since it was started last; before that: {@code .1}
 * </ul>
 */
record DataFolder(Path path) {
  private static final String KIND = "holdfast-data 1";
  private static final int PASSWORD_BYTES = 32;

  private static final FileAttribute<Set<PosixFilePermission>> FOLDER_OF_THE_USER =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
  static final FileAttribute<Set<PosixFilePermission>> FILE_OF_THE_USER =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  Path database() {
    return path.resolve("postgresql");
  }

  /** Where the database is made; it becomes the other one when it is complete. */
  Path unfinishedDatabase() {
    return path.resolve("postgresql.unfinished");
  }

  Path log() {
    return path.resolve("postgresql.log");
  }

  Path passwordFile() {
    return path.resolve("password");
  }

  String password() throws IOException {
    return Files.readString(passwordFile()).strip();
  }

  /** Makes the folder, or looks whether it is ours. */
  void prepare() throws IOException {
    if (Files.exists(path) && !Files.isDirectory(path)) {
      throw EmbeddedException.foreign(
          "the data folder must be a folder, %s is none".formatted(path));
    }
    if (!Files.exists(path)) {
      Files.createDirectories(path.toAbsolutePath().getParent());
      Files.createDirectory(path, FOLDER_OF_THE_USER);
    }
    if (Files.exists(mark())) {
      requireOurs();
    } else if (isEmpty()) {
      write(mark(), KIND);
    } else {
      throw EmbeddedException.foreign(
          "the data folder must be empty or made by Holdfast, %s is neither: give another one with --data"
              .formatted(path));
    }
  }

  /** Whether the folder is there and ours. */
  boolean exists() {
    return Files.exists(mark());
  }

  private void requireOurs() throws IOException {
    String kind = Files.readString(mark()).strip();
    if (!kind.equals(KIND)) {
      throw EmbeddedException.foreign(
          "the data in %s must be '%s', is '%s': it belongs to another version of Holdfast"
              .formatted(path, KIND, kind));
    }
    if (!User.isRoot() && !User.owns(path)) {
      throw EmbeddedException.foreign(
          "the data folder %s must belong to the user who starts Holdfast: start it as its owner"
              .formatted(path));
    }
  }

  /** Refuses a database of another major version, which this one could not read. */
  void requireVersion(int major) throws IOException {
    String version = Files.readString(database().resolve("PG_VERSION")).strip();
    if (!version.equals(Integer.toString(major))) {
      throw EmbeddedException.foreign(
          "the data in %s must be of PostgreSQL %d, is of PostgreSQL %s: dump it with the Holdfast that made it, and load the dump into a new folder"
              .formatted(path, major, version));
    }
  }

  void makePassword() throws IOException {
    if (!Files.exists(passwordFile())) {
      byte[] bytes = new byte[PASSWORD_BYTES];
      new SecureRandom().nextBytes(bytes);
      write(passwordFile(), Base64.getUrlEncoder().withoutPadding().encodeToString(bytes));
    }
  }

  /** An empty log; the former one is kept. */
  Redirect newLog() throws IOException {
    if (Files.exists(log())) {
      Files.move(log(), path.resolve("postgresql.log.1"), StandardCopyOption.REPLACE_EXISTING);
    }
    Files.createFile(log(), FILE_OF_THE_USER);
    return Redirect.to(log().toFile());
  }

  boolean saysReady() throws IOException {
    return Files.readString(log()).contains("ready to accept connections");
  }

  /** What was logged after so many bytes. */
  String logSince(long bytes) throws IOException {
    byte[] all = Files.readAllBytes(log());
    int from = (int) Math.min(bytes, all.length);
    return new String(all, from, all.length - from, UTF_8).strip();
  }

  /** Appears whole or not at all. */
  private void write(Path file, String text) throws IOException {
    Path draft = file.resolveSibling(file.getFileName() + ".draft");
    Files.deleteIfExists(draft);
    Files.createFile(draft, FILE_OF_THE_USER);
    Files.write(draft, List.of(text), UTF_8);
    Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
  }

  /** What a start that was killed very early has left does not count. */
  private boolean isEmpty() throws IOException {
    try (Stream<Path> entries = Files.list(path)) {
      return entries.allMatch(
          entry -> Set.of("lock", "holdfast-data.draft").contains(entry.getFileName().toString()));
    }
  }

  private Path mark() {
    return path.resolve("holdfast-data");
  }
}
