package dev.holdfast.schema;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the migrations of a dialect from the class path. Which there are is said by {@code
 * index.txt}, because folders cannot be listed in nested jars and native images.
 */
final class MigrationFiles {
  private static final String HOLDFAST = "/dev/holdfast/schema/migrations";

  private MigrationFiles() {}

  /** Holdfast's own. */
  static List<MigrationFile> of(String family) {
    return of(HOLDFAST, family);
  }

  static List<MigrationFile> of(String location, String family) {
    List<MigrationFile> files = new ArrayList<>();
    for (String line : read(location + "/index.txt").lines().map(String::strip).toList()) {
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      MigrationFile file =
          MigrationFile.of(line, read("%s/%s/%s".formatted(location, family, line)));
      if (file.version() != files.size() + 1) {
        throw new IllegalStateException(
            location + "/index.txt must count from 0001 without gaps, was " + line);
      }
      files.add(file);
    }
    return List.copyOf(files);
  }

  private static String read(String resource) {
    try (InputStream in = MigrationFiles.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException(resource + " must be on the class path, is not");
      }
      return new String(in.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + resource, e);
    }
  }
}
