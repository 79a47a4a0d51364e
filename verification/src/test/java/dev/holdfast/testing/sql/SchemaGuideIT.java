package dev.holdfast.testing.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.event.EventFilter;
import dev.holdfast.schema.Migrations;
import dev.holdfast.schema.SchemaException;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The snippets of the guide to the schema, run. */
class SchemaGuideIT {
  private static final Path GUIDE = Path.of("../docs/guides/schema.md");

  @TempDir Path folder;

  @Test
  void migrating() {
    try (TestSchema schema = TestDatabase.h2().newSchema()) {
      DataSource dataSource = schema.dataSource();

      Holdfast holdfast = Holdfast.builder(dataSource).schema("holdfast").build();
      holdfast.migrations().migrate();
      holdfast.migrations().validate();

      assertThat(holdfast.events().find(EventFilter.all()).events()).isEmpty();
    }
  }

  @Test
  void printing() {
    String sql = Migrations.script(Migrations.Database.POSTGRESQL, "holdfast");

    assertThat(sql).contains("\"holdfast\".holdfast_migration");
  }

  @Test
  void printingAnUpgrade() {
    String sql = Migrations.upgradeScript(1, Migrations.Database.POSTGRESQL, "holdfast");

    assertThat(sql).startsWith("-- Holdfast on postgresql").doesNotContain("0001_ledger.sql");
  }

  @Test
  void flyway() throws Exception {
    try (TestSchema schema = TestDatabase.postgreSql().newSchema()) {
      DataSource dataSource = schema.dataSource();

      String sql = Migrations.script(Migrations.Database.POSTGRESQL, null);
      Files.writeString(folder.resolve("V7__holdfast.sql"), sql);
      Flyway.configure().dataSource(dataSource).locations("filesystem:" + folder).load().migrate();
      Holdfast.create(dataSource).migrations().validate();
    }
  }

  @Test
  void everyErrorIsExplained() throws IOException {
    String guide = Files.readString(GUIDE);

    for (SchemaException.Reason reason : SchemaException.Reason.values()) {
      assertThat(guide).contains("| `" + reason.code() + "` |");
    }
  }
}
