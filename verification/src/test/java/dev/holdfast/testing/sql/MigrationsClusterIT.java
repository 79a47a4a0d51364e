package dev.holdfast.testing.sql;

import static dev.holdfast.testing.sql.MigrationSets.BASE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.schema.Migrations;
import dev.holdfast.schema.SchemaException;
import dev.holdfast.schema.TestMigrations;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Processes that start at once, and one that is killed while it has the lock. */
class MigrationsClusterIT {
  private static final int INSTANCES = 5;

  static Stream<TestDatabase> databases() {
    return Stream.of(TestDatabase.postgreSql(), TestDatabase.mariaDb());
  }

  @ParameterizedTest
  @MethodSource("databases")
  void concurrentInstancesMigrateOnce(TestDatabase database) throws Exception {
    try (TestSchema schema = database.newSchema()) {
      List<ForkedMigrator> instances = new ArrayList<>();
      try {
        for (int i = 0; i < INSTANCES; i++) {
          instances.add(ForkedMigrator.start(schema, "migrate"));
        }
        for (ForkedMigrator instance : instances) {
          instance.awaits("ready");
        }
        for (ForkedMigrator instance : instances) {
          instance.go();
        }
        for (ForkedMigrator instance : instances) {
          instance.assertEndsWell();
        }
      } finally {
        for (ForkedMigrator instance : instances) {
          instance.close();
        }
      }
      assertMigratedOnce(schema);
    }
  }

  @ParameterizedTest
  @MethodSource("databases")
  void anInstanceThatIsKilledFreesTheLock(TestDatabase database) throws Exception {
    try (TestSchema schema = database.newSchema()) {
      Migrations migrations = TestMigrations.on(schema.dataSource(), BASE);
      try (ForkedMigrator holder = ForkedMigrator.start(schema, "hold")) {
        holder.awaits("ready");
        holder.go();
        holder.awaits("holding");
        MigrationStepsContract.assertRefused(
            SchemaException.Reason.BUSY, migrations.waitTimeout(Duration.ofMillis(200))::migrate);

        holder.kill();

        assertThat(migrations.migrate().applied()).contains("0003_run.sql");
      }
      assertMigratedOnce(schema);
    }
  }

  private static void assertMigratedOnce(TestSchema schema) {
    assertThat(schema.query("select version from holdfast_migration order by version"))
        .extracting(row -> String.valueOf(row.get("version")))
        .containsExactly("1", "2", "3");
    assertThat(schema.count("select count(*) from holdfast_run")).isEqualTo(1);
    TestMigrations.on(schema.dataSource(), BASE).validate();
  }
}
