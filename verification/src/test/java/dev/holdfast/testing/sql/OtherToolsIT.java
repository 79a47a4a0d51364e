package dev.holdfast.testing.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.schema.MigrationStatus;
import dev.holdfast.schema.Migrations;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.Locale;
import java.util.stream.Stream;
import liquibase.Contexts;
import liquibase.Liquibase;
import liquibase.database.DatabaseFactory;
import liquibase.database.jvm.JdbcConnection;
import liquibase.resource.DirectoryResourceAccessor;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Flyway and Liquibase make, from what is printed, what Holdfast works with. */
class OtherToolsIT {
  private static final String CHANGELOG =
      """
      --liquibase formatted sql
      --changeset you:holdfast-1 splitStatements:true endDelimiter:;
      """;

  @TempDir Path folder;

  static Stream<TestDatabase> databases() {
    return Stream.of(TestDatabase.postgreSql(), TestDatabase.mariaDb(), TestDatabase.h2());
  }

  @ParameterizedTest
  @MethodSource("databases")
  void flywayRunsTheScript(TestDatabase database) throws Exception {
    try (TestSchema schema = database.newSchema()) {
      Files.writeString(
          folder.resolve("V1__holdfast.sql"),
          Migrations.script(
              Migrations.Database.valueOf(database.name().toUpperCase(Locale.ROOT)), null));
      Flyway flyway =
          Flyway.configure()
              .dataSource(schema.dataSource())
              .locations("filesystem:" + folder)
              .load();

      assertThat(flyway.migrate().migrationsExecuted).isEqualTo(1);
      assertThat(flyway.migrate().migrationsExecuted).isZero();

      assertUpToDate(Holdfast.create(schema.dataSource()).migrations());
    }
  }

  @Test
  void flywayRunsTheScriptIntoASchemaOfItsOwn() throws Exception {
    try (TestSchema schema = TestDatabase.postgreSql().newSchema()) {
      String other = schema.name() + "_flyway";
      try {
        Files.writeString(
            folder.resolve("V1__holdfast.sql"),
            Migrations.script(Migrations.Database.POSTGRESQL, other));
        Flyway.configure()
            .dataSource(schema.dataSource())
            .locations("filesystem:" + folder)
            .load()
            .migrate();

        assertUpToDate(Holdfast.builder(schema.dataSource()).schema(other).build().migrations());
      } finally {
        schema.execute("drop schema if exists " + other + " cascade");
      }
    }
  }

  @ParameterizedTest
  @MethodSource("databases")
  void liquibaseRunsTheScript(TestDatabase database) throws Exception {
    try (TestSchema schema = database.newSchema()) {
      Files.writeString(
          folder.resolve("holdfast.sql"),
          CHANGELOG
              + Migrations.script(
                  Migrations.Database.valueOf(database.name().toUpperCase(Locale.ROOT)), null));
      for (int i = 0; i < 2; i++) {
        try (Connection connection = schema.unpooled().getConnection();
            Liquibase liquibase =
                new Liquibase(
                    "holdfast.sql",
                    new DirectoryResourceAccessor(folder),
                    DatabaseFactory.getInstance()
                        .findCorrectDatabaseImplementation(new JdbcConnection(connection)))) {
          liquibase.update(new Contexts());
        }
      }

      assertUpToDate(Holdfast.create(schema.dataSource()).migrations());
    }
  }

  private static void assertUpToDate(Migrations migrations) {
    migrations.validate();
    MigrationStatus status = migrations.status();
    assertThat(status.version()).isEqualTo(status.expectedVersion());
    assertThat(migrations.migrate().applied()).isEmpty();
  }
}
