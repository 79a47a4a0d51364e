package dev.holdfast.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The files of Holdfast's own migrations, and the rules that they keep. */
class MigrationFilesTest {
  private static final Path FOLDER = Path.of("src/main/resources/dev/holdfast/schema/migrations");
  private static final List<String> FAMILIES = List.of("postgresql", "mysql", "h2");
  private static final Pattern OBJECT =
      Pattern.compile(
          "\\b(?:TABLE|INTO|UPDATE|FROM|REFERENCES|ON|SEQUENCE)\\s+(?:IF (?:NOT )?EXISTS\\s+)?"
              + "(?<name>(?:\\$\\{schema})?holdfast_\\w+)");

  @Test
  void databasesHaveFilesOfIndex() throws IOException {
    for (String family : FAMILIES) {
      assertThat(MigrationFiles.of(family))
          .as(family)
          .isNotEmpty()
          .extracting(MigrationFile::fileName)
          .containsExactlyElementsOf(namesIn(FOLDER.resolve(family)));
    }
    assertThat(namesIn(FOLDER)).containsExactly("h2", "index.txt", "mysql", "postgresql");
  }

  @Test
  void eachDatabaseHasTheSameTables() {
    List<MigrationFile> postgreSql = MigrationFiles.of("postgresql");
    for (String family : FAMILIES) {
      List<MigrationFile> files = MigrationFiles.of(family);
      for (int version = 1; version <= files.size(); version++) {
        assertThat(MigrationFile.tables(files.subList(0, version)))
            .as("%s, version %d", family, version)
            .isEqualTo(MigrationFile.tables(postgreSql.subList(0, version)))
            .contains(SchemaSnapshot.LEDGER)
            .allMatch(table -> table.startsWith("holdfast_"));
      }
    }
  }

  @Test
  void everyTableIsNamedWithItsSchema() {
    for (String family : FAMILIES) {
      for (MigrationFile file : MigrationFiles.of(family)) {
        for (String statement : file.statements("${schema}")) {
          Matcher object = OBJECT.matcher(statement);
          while (object.find()) {
            assertThat(object.group("name"))
                .as("%s/%s", family, file.fileName())
                .startsWith("${schema}");
          }
          assertThat(statement)
              .as("%s/%s", family, file.fileName())
              .doesNotContain("--", "/*")
              .doesNotContainIgnoringCase("CREATE TRIGGER")
              // MySQL has no sequences
              .doesNotContainIgnoringCase(
                  family.equals("mysql") ? " AS IDENTITY" : "AUTO_INCREMENT")
              .doesNotContainIgnoringCase(" AS IDENTITY");
        }
      }
    }
  }

  @Test
  void theLedgerIsNeverAltered() {
    for (String family : FAMILIES) {
      List<MigrationFile> files = MigrationFiles.of(family);
      assertThat(files.subList(1, files.size()))
          .as(family)
          .noneMatch(file -> file.text().contains(SchemaSnapshot.LEDGER));
    }
  }

  @Test
  void aMissingFolderIsNamed() {
    assertThatThrownBy(() -> MigrationFiles.of("oracle"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("migrations/oracle/0001_ledger.sql");
  }

  @Test
  void anIndexWithAGapIsRefused() {
    assertThatThrownBy(() -> MigrationFiles.of("/dev/holdfast/schema/gap", "h2"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContainingAll("without gaps", "0003_third.sql");
  }

  private static List<String> namesIn(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }
}
