package dev.holdfast.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.web.access.NewToken;
import dev.holdfast.web.access.Tokens;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The first token of a new database. It is written to a file that only its owner can read, and
 * shown on a terminal; never where what the server prints is kept, as in a journal.
 *
 * <p>It is in a file beside that one, whose name ends with {@code .part}, before the database knows
 * it: a server that crashes in between finds it there when it starts again.
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
    boolean isNew = tokens.list().isEmpty();
    if (isNew && file == null && !terminal) {
      return new FirstToken(Optional.empty(), Optional.empty(), true);
    }
    try {
      Optional<String> made =
          !isNew
              ? leftByACrash(tokens, file)
              : file == null ? make(tokens) : makeIn(tokens, file, part(file));
      return new FirstToken(
          made.filter(text -> terminal), made.flatMap(text -> Optional.ofNullable(file)), false);
    } catch (IOException | UncheckedIOException e) {
      throw new InvalidArgumentException(
          "the first token cannot be written to "
              + file
              + "; give another file with --token-file: "
              + e,
          e);
    }
  }

  private static Path part(Path file) {
    return file.resolveSibling(file.getFileName() + ".part");
  }

  /** Empty where another server has just made it. */
  private static Optional<String> make(Tokens tokens) {
    return tokens.makeFirst(NAME).map(NewToken::text);
  }

  private static Optional<String> makeIn(Tokens tokens, Path file, Path part) throws IOException {
    // before there is a token, so that a file that cannot be written leaves none
    Files.deleteIfExists(file);
    Optional<String> made =
        tokens.makeFirst(NAME, text -> writeUnchecked(part, text)).map(NewToken::text);
    if (made.isEmpty()) {
      Files.deleteIfExists(part);
      return made;
    }
    if (!made.equals(read(part))) {
      // another server has the same file, and came too late
      write(part, made.get());
    }
    Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
    return made;
  }

  /** The token of a server that has ended between storing it and naming its file. */
  private static Optional<String> leftByACrash(Tokens tokens, @Nullable Path file)
      throws IOException {
    if (file == null) {
      return Optional.empty();
    }
    Optional<String> left =
        read(part(file))
            .filter(text -> tokens.verify(text).filter(known -> !known.isSession()).isPresent());
    if (left.isPresent()) {
      Files.move(part(file), file, StandardCopyOption.ATOMIC_MOVE);
    }
    return left;
  }

  private static Optional<String> read(Path file) throws IOException {
    return Files.isRegularFile(file)
        ? Optional.of(Files.readString(file).strip())
        : Optional.empty();
  }

  private static void writeUnchecked(Path file, String text) {
    try {
      write(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** On the disk before this returns, and for its owner only. */
  private static void write(Path file, String text) throws IOException {
    Files.deleteIfExists(file);
    try (FileChannel channel =
        FileChannel.open(
            file,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
      ByteBuffer bytes = ByteBuffer.wrap((text + "\n").getBytes(UTF_8));
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    }
  }
}
