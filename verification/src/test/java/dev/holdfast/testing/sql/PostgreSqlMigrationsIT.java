package dev.holdfast.testing.sql;

import static dev.holdfast.testing.sql.MigrationSets.BASE;
import static dev.holdfast.testing.sql.MigrationStepsContract.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.schema.Migrations;
import dev.holdfast.schema.SchemaException;
import dev.holdfast.schema.TestMigrations;
import dev.holdfast.testing.ConcurrentActors;
import dev.holdfast.testing.InterceptingDataSource;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.testing.contract.MigrationsContract;
import dev.holdfast.transaction.DatabaseException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Migrations keep their contracts on PostgreSQL. */
class PostgreSqlMigrationsIT {
  @Nested
  class OfHoldfast extends MigrationsContract {
    OfHoldfast() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class Steps extends MigrationStepsContract {
    Steps() {
      super(TestDatabase.postgreSql());
    }

    @Override
    void assertAfterFailure() {
      assertThat(
              schema.count(
                  "select count(*) from pg_tables where schemaname = '" + schema.name() + "'"))
          .isZero();
    }

    @Test
    void amongTenMigratorsTheLedgerIsCreatedOnce() {
      assertRunOnce(
          List.of("CREATE TABLE IF NOT EXISTS holdfast_migration"),
          watched -> index -> TestMigrations.on(watched, BASE).migrate().version());
    }

    @Test
    void worksWithAPoolOfOne() {
      assertThat(TestMigrations.on(schema.dataSource(1), BASE).migrate().version()).isEqualTo(3);
    }

    @Test
    void survivesTimeLimitsOfTheServer() {
      MigrationGate gate = new MigrationGate("0003_run");
      AtomicInteger attempts = new AtomicInteger();
      InterceptingDataSource.Watch opensAtTheFifthAttempt =
          (connection, sql) -> {
            try (Statement statement = connection.createStatement()) {
              statement.execute("set lock_timeout = '20ms'; set statement_timeout = '500ms'");
            }
            if (isLock(sql) && attempts.incrementAndGet() == 5) {
              gate.open();
            }
          };
      Callable<Integer> first =
          () ->
              TestMigrations.on(InterceptingDataSource.of(schema.unpooled(), gate), BASE)
                  .migrate()
                  .version();
      Callable<Integer> second =
          () -> {
            gate.awaitReached();
            return TestMigrations.on(
                    InterceptingDataSource.of(schema.unpooled(), opensAtTheFifthAttempt), BASE)
                .migrate()
                .version();
          };

      assertThat(ConcurrentActors.run(List.of(first, second)).resultsOrThrow())
          .containsExactly(3, 3);
    }

    @Test
    void runsUnderOtherDefaultIsolation() {
      schema.execute("create role %s_rr login superuser".formatted(schema.name()));
      try {
        schema.execute(
            "alter role %s_rr set default_transaction_isolation = 'serializable'"
                .formatted(schema.name()));
        DataSource serializable = as(schema, schema.name() + "_rr");
        List<Integer> versions =
            ConcurrentActors.run(
                    10, index -> TestMigrations.on(serializable, BASE).migrate().version())
                .resultsOrThrow();
        assertThat(versions).containsOnly(3);
      } finally {
        schema.execute(
            "drop owned by %s_rr cascade".formatted(schema.name()),
            "drop role %s_rr".formatted(schema.name()));
      }
    }
  }

  @Test
  void saysThatTheUserMayNotCreateASchema() {
    try (TestSchema schema = TestDatabase.postgreSql().newSchema()) {
      String role = schema.name() + "_weak";
      schema.execute("create role %s login".formatted(role));
      try {
        Migrations weak = Holdfast.create(as(schema, role)).migrations();
        assertRefused(
                SchemaException.Reason.CREATE_DENIED,
                Holdfast.builder(as(schema, role))
                        .schema(schema.name() + "_new")
                        .build()
                        .migrations()
                    ::migrate)
            .hasMessageContainingAll(schema.name() + "_new", "permission denied", "administrator");
        assertRefused(SchemaException.Reason.NO_SCHEMA, weak::migrate)
            .hasMessageContaining("schema(…)");
        schema.execute("grant usage on schema %s to %s".formatted(schema.name(), role));
        assertRefused(SchemaException.Reason.FAILED, weak::migrate)
            .hasMessageContainingAll("0001_ledger.sql", "permission denied for schema");
      } finally {
        schema.execute("drop owned by " + role, "drop role " + role);
      }
    }
  }

  @Test
  void readOnlyUserCanValidate() {
    try (TestSchema schema = TestDatabase.postgreSql().newSchema()) {
      String role = schema.name() + "_reader";
      Holdfast.create(schema.unpooled()).migrations().migrate();
      schema.execute("create role %s login".formatted(role));
      try {
        schema.execute(
            "grant usage on schema %s to %s".formatted(schema.name(), role),
            "grant select on all tables in schema %s to %s".formatted(schema.name(), role));
        Migrations reader = Holdfast.create(as(schema, role)).migrations();
        reader.validate();
        assertThat(reader.migrate().applied()).isEmpty();
      } finally {
        schema.execute("drop owned by " + role, "drop role " + role);
      }
    }
  }

  @Test
  void saysThatTheUserMayNotRead() {
    try (TestSchema schema = TestDatabase.postgreSql().newSchema()) {
      String role = schema.name() + "_stranger";
      Holdfast.create(schema.unpooled()).migrations().migrate();
      schema.execute("create role %s login".formatted(role));
      try {
        Migrations stranger =
            Holdfast.builder(as(schema, role)).schema(schema.name()).build().migrations();
        assertUnreadable(stranger, schema.name(), "holdfast_migration", "USAGE");
        schema.execute("grant usage on schema %s to %s".formatted(schema.name(), role));
        assertUnreadable(stranger, "holdfast_migration", "SELECT");
        schema.execute("grant select on holdfast_migration to " + role);
        assertUnreadable(stranger, "holdfast_event,", "SELECT");
        schema.execute(
            "grant insert on all tables in schema %s to %s".formatted(schema.name(), role));
        assertUnreadable(stranger, "holdfast_event,", "SELECT");
        schema.execute(
            "grant select on all tables in schema %s to %s".formatted(schema.name(), role));
        stranger.validate();
      } finally {
        schema.execute("drop owned by " + role, "drop role " + role);
      }
    }
  }

  private static void assertUnreadable(Migrations stranger, String... words) {
    assertRefused(SchemaException.Reason.NOT_READABLE, stranger::validate)
        .hasMessageContainingAll(words)
        .message()
        .doesNotContain("migrate()");
    assertRefused(SchemaException.Reason.NOT_READABLE, stranger::migrate);
  }

  @Test
  void refusesTablesThatCitusDistributes() {
    try (TestSchema schema = TestDatabase.postgreSql().newSchema()) {
      Holdfast.create(schema.dataSource()).migrations().migrate();
      Holdfast.create(schema.dataSource());
      // what Citus has in pg_catalog, which is searched like any schema on the path
      schema.execute("create table pg_dist_partition (logicalrelid regclass not null)");
      Holdfast.create(schema.dataSource()).migrations().validate();
      Holdfast.create(schema.dataSource());
      schema.execute("create table orders (id int)");
      schema.execute("insert into pg_dist_partition values ('orders')");
      Holdfast.create(schema.dataSource()).migrations().validate();
      Holdfast.create(schema.dataSource());
      Migrations migrations = Holdfast.create(schema.dataSource()).migrations();

      schema.execute("insert into pg_dist_partition values ('holdfast_event')");

      assertRefused(SchemaException.Reason.DISTRIBUTED, migrations::validate)
          .hasMessageContainingAll(schema.name() + ".holdfast_event", "undistribute_table");
      assertRefused(SchemaException.Reason.DISTRIBUTED, migrations::migrate);
      assertThatThrownBy(() -> Holdfast.create(schema.dataSource()))
          .isInstanceOf(DatabaseException.class)
          .hasMessageContainingAll(schema.name() + ".holdfast_event", "undistribute_table");
    }
  }

  private static DataSource as(TestSchema schema, String role) {
    return Login.to(schema.url(), role, "");
  }
}
