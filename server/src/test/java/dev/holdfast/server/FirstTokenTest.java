package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.InvalidArgumentException;
import dev.holdfast.testing.InterceptingDataSource;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.web.access.Tokens;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The first token is there for its owner, wherever the server that makes it crashes. */
class FirstTokenTest {
  private final TestSchema schema = TestDatabase.h2().newSchema();
  private final Tokens tokens = Tokens.of(Holdfast.create(schema.dataSource()), null);

  @TempDir private Path folder;
  private Path file;

  @BeforeEach
  void prepare() {
    Holdfast.create(schema.dataSource()).migrations().migrate();
    file = folder.resolve("first-token");
  }

  @AfterEach
  void close() {
    schema.close();
  }

  private void assertValidIn(Path where) throws IOException {
    assertThat(tokens.verify(Files.readString(where).strip())).isPresent();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(where)))
        .isEqualTo("rw-------");
    try (var files = Files.list(folder)) {
      assertThat(files).containsExactly(where);
    }
  }

  @Test
  void isWrittenToItsFileAndMadeOnlyOnce() throws Exception {
    FirstToken first = FirstToken.make(tokens, file, true);
    assertThat(first.file()).contains(file);
    assertThat(first.shown()).contains(Files.readString(file).strip());
    assertValidIn(file);

    assertThat(FirstToken.make(tokens, file, true))
        .isEqualTo(new FirstToken(Optional.empty(), Optional.empty(), false));
    assertValidIn(file);
  }

  /** What cannot be done here stands for a crash there. */
  @Test
  void survivesCrashBeforeFileIsWritten() throws Exception {
    AtomicInteger statements = new AtomicInteger();
    Tokens crashing =
        Tokens.of(
            Holdfast.create(
                InterceptingDataSource.of(
                    schema.dataSource(),
                    (connection, sql) -> {
                      if (sql.startsWith("INSERT") && statements.getAndIncrement() == 0) {
                        // so that the file cannot take its place
                        makeUnmovable();
                      }
                    })),
            null);
    assertThatThrownBy(() -> FirstToken.make(crashing, file, false))
        .isInstanceOf(InvalidArgumentException.class);
    assertThat(tokens.list()).hasSize(1);
    Files.delete(file.resolve("x"));
    Files.delete(file);

    assertThat(FirstToken.make(tokens, file, false).file()).contains(file);
    assertValidIn(file);
  }

  private void makeUnmovable() {
    try {
      Files.createDirectories(file.resolve("x"));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void recreatesTokenAfterCrashBeforeStore() throws Exception {
    Tokens crashing =
        Tokens.of(
            Holdfast.create(
                InterceptingDataSource.of(
                    schema.dataSource(),
                    (connection, sql) -> {
                      if (sql.startsWith("INSERT")) {
                        assertThat(folder.resolve("first-token.part")).isNotEmptyFile();
                        throw new SQLException("crash", "08006");
                      }
                    })),
            null);
    assertThatThrownBy(() -> FirstToken.make(crashing, file, false))
        .isInstanceOf(HoldfastException.class);
    assertThat(tokens.list()).isEmpty();

    assertThat(FirstToken.make(tokens, file, false).file()).contains(file);
    assertValidIn(file);
  }

  @Test
  void ignoresTokenThatWasNeverStored() throws Exception {
    Files.writeString(folder.resolve("first-token.part"), "hf_abcdefghij_wrong\n");
    tokens.make("by hand");

    assertThat(FirstToken.make(tokens, file, true))
        .isEqualTo(new FirstToken(Optional.empty(), Optional.empty(), false));
    assertThat(file).doesNotExist();
  }

  @Test
  void withoutAPlaceForItNoneIsMade() {
    assertThat(FirstToken.make(tokens, null, false).isMissing()).isTrue();
    assertThat(tokens.list()).isEmpty();
    assertThat(FirstToken.make(tokens, null, true).shown()).isPresent();
  }
}
