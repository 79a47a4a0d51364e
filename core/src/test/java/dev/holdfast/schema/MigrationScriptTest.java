package dev.holdfast.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.schema.Migrations.Database;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MigrationScriptTest {
  private static final List<MigrationFile> FILES =
      List.of(
          MigrationFile.of("0001_ledger.sql", "-- why\nCREATE TABLE ${schema}l (v integer);\n"),
          MigrationFile.of("0002_more.sql", "CREATE TABLE ${schema}m (v integer);\n"));

  private static String script(Database database, @Nullable String schema, int after) {
    return MigrationScript.of(ignored -> FILES, database, schema, after);
  }

  @Test
  void hasEveryStatementAndItsRowInTheLedger() {
    assertThat(script(Database.POSTGRESQL, "Hold", 0))
        .isEqualTo(
            """
            -- Holdfast on postgresql, versions 1 to 2. Run all of it, once, in order.

            -- Take this out where an administrator has created the schema.
            CREATE SCHEMA IF NOT EXISTS "hold";

            -- 0001_ledger.sql
            CREATE TABLE "hold".l (v integer);

            INSERT INTO "hold".holdfast_migration (version, name, checksum, applied_at)
            VALUES (1, 'ledger', '%s', statement_timestamp());

            -- 0002_more.sql
            CREATE TABLE "hold".m (v integer);

            INSERT INTO "hold".holdfast_migration (version, name, checksum, applied_at)
            VALUES (2, 'more', '%s', statement_timestamp());

            """
                .formatted(FILES.get(0).checksum(), FILES.get(1).checksum()));
  }

  @Test
  void quotesAsTheDatabaseDoes() {
    assertThat(script(Database.MYSQL, "Hold", 0)).contains("CREATE TABLE `Hold`.l");
    assertThat(script(Database.MARIADB, "\"Hold Fast\"", 0)).contains("CREATE TABLE `Hold Fast`.l");
    assertThat(script(Database.H2, "Hold", 0)).contains("CREATE TABLE \"HOLD\".l");
  }

  @Test
  void leavesTheSchemaOutWhereNoneIsNamed() {
    assertThat(script(Database.H2, null, 0))
        .contains("CREATE TABLE l (", "INSERT INTO holdfast_migration")
        .doesNotContain("CREATE SCHEMA");
  }

  @Test
  void beginsAfterTheVersionThatIsThere() {
    assertThat(script(Database.H2, "hold", 1))
        .contains("versions 2 to 2", "0002_more.sql")
        .doesNotContain("0001_ledger.sql", "CREATE SCHEMA");
    assertThat(script(Database.H2, "hold", 2))
        .isEqualTo("-- Holdfast on h2 has nothing after version 2.\n");
  }

  @Test
  void refusesWhatItCannotWrite() {
    assertThatThrownBy(() -> script(Database.H2, null, 3))
        .isInstanceOf(InvalidArgumentException.class);
    assertThatThrownBy(() -> script(Database.H2, null, -1))
        .isInstanceOf(InvalidArgumentException.class);
    assertThatThrownBy(() -> script(Database.H2, "a; drop schema b", 0))
        .isInstanceOf(InvalidArgumentException.class);
    assertThatThrownBy(() -> script(Database.H2, "a.b", 0))
        .isInstanceOf(InvalidArgumentException.class);
  }

  @Test
  void holdfastsOwnIsCompleteOnEachDatabase() {
    for (Database database : Database.values()) {
      assertThat(Migrations.script(database, "holdfast"))
          .contains("holdfast_migration", "0001_ledger.sql", "VALUES (1, 'ledger', '")
          .doesNotContain("${");
    }
  }
}
