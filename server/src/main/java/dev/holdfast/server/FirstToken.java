package dev.holdfast.server;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.web.access.NewToken;
import dev.holdfast.web.access.Tokens;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The first token of a new database. It is written to a file that only its owner can read, and
 * shown on a terminal; never where what the server prints is kept, as in a journal.
 *
 * @param shown its text, where it may be shown
 * @param file where it was written
 * @param isMissing there is no token, and none was made for want of a place to leave it
 */
record FirstToken(Optional<String> shown, Optional<Path> file, boolean isMissing) {
  private static final String NAME = "admin";

  /**
   * Makes it where there is no token at all.
   *
   * @param file where to write it; null for nowhere
   * @param terminal whether somebody looks at what is printed
   */
  static FirstToken make(Tokens tokens, @Nullable Path file, boolean terminal) {
    if (!tokens.list().isEmpty()) {
      return new FirstToken(Optional.empty(), Optional.empty(), false);
    }
    if (file == null && !terminal) {
      return new FirstToken(Optional.empty(), Optional.empty(), true);
    }
    try {
      if (file != null) {
        Files.deleteIfExists(file);
        Files.createFile(
            file,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      }
      // empty where another server has just made it
      Optional<String> made = tokens.makeFirst(NAME).map(NewToken::text);
      if (file != null && made.isPresent()) {
        Files.writeString(file, made.get() + "\n");
      } else if (file != null) {
        Files.delete(file);
      }
      return new FirstToken(
          made.filter(text -> terminal), made.flatMap(text -> Optional.ofNullable(file)), false);
    } catch (IOException e) {
      throw new InvalidArgumentException(
          "the first token cannot be written to "
              + file
              + "; give another file with --token-file: "
              + e,
          e);
    }
  }
}
