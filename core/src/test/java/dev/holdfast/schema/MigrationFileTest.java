package dev.holdfast.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class MigrationFileTest {
  @Test
  void statementEndsAtSemicolonOfLine() {
    MigrationFile file =
        MigrationFile.of(
            "0007_some_name.sql",
            """
            -- a comment; with a semicolon;
            CREATE TABLE ${schema}holdfast_a (
              -- inside; too;
              note varchar(9) DEFAULT ';-)'
            );\s\s

            INSERT INTO ${schema}holdfast_a VALUES ('a;b');
            """);

    assertThat(file.version()).isEqualTo(7);
    assertThat(file.name()).isEqualTo("some_name");
    assertThat(file.fileName()).isEqualTo("0007_some_name.sql");
    assertThat(file.statements("\"s\"."))
        .containsExactly(
            "CREATE TABLE \"s\".holdfast_a (\n  note varchar(9) DEFAULT ';-)'\n)",
            "INSERT INTO \"s\".holdfast_a VALUES ('a;b')");
  }

  @Test
  void aStatementWithoutAnEndIsRefused() {
    MigrationFile file = MigrationFile.of("0001_a.sql", "SELECT 1;\nSELECT 2; -- not the end\n");

    assertThatThrownBy(() -> file.statements(""))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContainingAll("0001_a.sql", "SELECT 2");
  }

  @Test
  void checksumIgnoresLineEnds() {
    String unix = "CREATE TABLE ${schema}a (\n  id integer\n);\n";

    assertThat(MigrationFile.of("0001_a.sql", unix.replace("\n", "\r\n")).checksum())
        .isEqualTo(MigrationFile.of("0001_a.sql", unix).checksum())
        .isNotEqualTo(MigrationFile.of("0001_a.sql", unix + " ").checksum());
    // sha256sum of the same three lines
    assertThat(MigrationFile.of("0001_a.sql", unix).checksum())
        .isEqualTo("a3e93fbeb234fdd10378864bf73f090c4ef8ba799b15adff7c31aa612828e690");
  }

  @Test
  void tablesAreThoseCreatedAndNotDropped() {
    MigrationFile one =
        MigrationFile.of(
            "0001_a.sql",
            """
            CREATE TABLE ${schema}holdfast_a (id integer);
            create table if not exists ${schema}holdfast_B (id integer);
            -- CREATE TABLE ${schema}holdfast_commented (id integer);
            """);
    MigrationFile two = MigrationFile.of("0002_b.sql", "DROP TABLE IF EXISTS ${schema}holdfast_a;");

    assertThat(MigrationFile.tables(List.of(one))).containsExactly("holdfast_a", "holdfast_b");
    assertThat(MigrationFile.tables(List.of(one, two))).containsExactly("holdfast_b");
  }

  @Test
  void aFileOfAnotherNameIsRefused() {
    for (String name : List.of("1_a.sql", "0001-a.sql", "0001_A.sql", "0001_a.txt", "0001_.sql")) {
      assertThatThrownBy(() -> MigrationFile.of(name, "SELECT 1;"))
          .as(name)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining(name);
    }
  }
}
