package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.InvalidArgumentException;
import dev.holdfast.schema.MigrationResult;
import dev.holdfast.schema.MigrationStatus;
import dev.holdfast.schema.Migrations;
import dev.holdfast.schema.SchemaException;
import dev.holdfast.testing.ConcurrentActors;
import dev.holdfast.testing.InterceptingDataSource;
import dev.holdfast.testing.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What the migrations of Holdfast's own tables guarantee. */
public abstract class MigrationsContract extends DatabaseContract {
  private static final String LEDGER =
      "select version, name, checksum, applied_at from holdfast_migration order by version";
  private static final int MIGRATORS = 10;

  protected MigrationsContract(TestDatabase database) {
    super(database);
  }

  private Migrations migrations() {
    return Holdfast.create(schema.dataSource()).migrations();
  }

  private Migrations migrations(String name) {
    return Holdfast.builder(schema.dataSource()).schema(name).build().migrations();
  }

  @Test
  void takesAnEmptySchemaToTheCurrentVersion() {
    MigrationResult result = migrations().migrate();

    assertThat(result.applied()).startsWith("0001_ledger.sql").hasSize(result.version());
    assertThat(result.schema()).isEqualToIgnoringCase(currentSchema());
    migrations().validate();
    MigrationStatus status = migrations().status();
    assertThat(status.isUpToDate()).isTrue();
    assertThat(status.issues()).isEmpty();
    assertThat(status.pending()).isEmpty();
    assertThat(status.version()).isEqualTo(status.expectedVersion()).isEqualTo(result.version());
    assertThat(status.applied())
        .extracting(MigrationStatus.Applied::fileName)
        .containsExactlyElementsOf(result.applied());
    assertThat(status.applied()).allMatch(applied -> applied.checksum().matches("[0-9a-f]{64}"));
  }

  @Test
  void doesNothingTheSecondTime() {
    migrations().migrate();
    var ledger = schema.query(LEDGER);
    List<String> statements = Collections.synchronizedList(new ArrayList<>());

    MigrationResult again =
        Holdfast.create(
                InterceptingDataSource.of(
                    schema.dataSource(), (connection, sql) -> statements.add(sql)))
            .migrations()
            .migrate();

    assertThat(again.applied()).isEmpty();
    assertThat(again.version()).isEqualTo(ledger.size());
    assertThat(schema.query(LEDGER)).isEqualTo(ledger);
    assertThat(statements)
        .isNotEmpty()
        .allMatch(sql -> sql.startsWith("SELECT") || sql.startsWith("SET "))
        .noneMatch(sql -> sql.contains("FOR UPDATE") || sql.contains("advisory"));
  }

  @Test
  void tenMigratorsApplyEachMigrationOnce() {
    List<MigrationResult> results =
        ConcurrentActors.run(Duration.ofMinutes(3), MIGRATORS, index -> migrations().migrate())
            .resultsOrThrow();

    int version = results.get(0).version();
    assertThat(results).allMatch(result -> result.version() == version);
    assertThat(results.stream().flatMap(result -> result.applied().stream()))
        .hasSize(version)
        .doesNotHaveDuplicates();
    assertThat(schema.query(LEDGER)).hasSize(version);
    migrations().validate();
  }

  @Test
  void saysWhatIsMissing() {
    refuses(SchemaException.Reason.MISSING, migrations()::validate)
        .hasMessageContainingAll(
            "no tables",
            "0001_ledger.sql",
            "migrate()",
            "upgradeScript(0, Migrations.Database."
                + database().name().toUpperCase(Locale.ROOT)
                + ",");
    assertThat(migrations().status().isUpToDate()).isFalse();
    assertThat(migrations().status().version()).isZero();
    assertThat(migrations().status().pending()).startsWith("0001_ledger.sql");
  }

  @Test
  void saysThatASchemaDoesNotExist() {
    Migrations none = migrations("no_such_schema");

    refuses(SchemaException.Reason.MISSING, none::validate)
        .hasMessageContainingAll("0001_ledger.sql", "does not exist")
        .message()
        .containsIgnoringCase("'no_such_schema'");
  }

  @Test
  void refusesAMigrationThatIsNotTheOneThatRan() {
    migrations().migrate();
    schema.execute("update holdfast_migration set checksum = 'edited' where version = 1");

    refuses(SchemaException.Reason.CHANGED, migrations()::validate)
        .hasMessageContainingAll("0001_ledger.sql", "edited", "never changes");
    refuses(SchemaException.Reason.CHANGED, migrations()::migrate);
  }

  @Test
  void refusesASchemaOfANewerHoldfast() {
    migrations().migrate();
    schema.execute(
        "insert into holdfast_migration (version, name, checksum, applied_at)"
            + " values (9000, 'future', 'x', current_timestamp)");

    refuses(SchemaException.Reason.NEWER, migrations()::validate)
        .hasMessageContainingAll("9000_future.sql", "is at 9000", "newer Holdfast");
    refuses(SchemaException.Reason.NEWER, migrations()::migrate);
    assertThat(migrations().status().version()).isEqualTo(9000);
  }

  @Test
  void namesEverythingThatIsWrong() {
    migrations().migrate();
    schema.execute(
        "update holdfast_migration set checksum = 'edited' where version = 1",
        "insert into holdfast_migration (version, name, checksum, applied_at)"
            + " values (9000, 'future', 'x', current_timestamp)");

    refuses(SchemaException.Reason.NEWER, migrations()::validate)
        .hasMessageContainingAll("newer Holdfast", "Also: 0001_ledger.sql");
    assertThat(migrations().status().issues())
        .extracting(MigrationStatus.Issue::reason)
        .startsWith(SchemaException.Reason.NEWER, SchemaException.Reason.CHANGED);
  }

  @Test
  void createsTheSchemaItIsGiven() {
    inOtherSchema(
        schema.name() + "_other",
        other -> {
          MigrationResult result = migrations(other).migrate();

          assertThat(result.schema()).isEqualToIgnoringCase(other);
          migrations(other).validate();
          assertThat(migrations(other).migrate().applied()).isEmpty();
          refuses(SchemaException.Reason.MISSING, migrations()::validate);
          assertThat(schema.count("select count(*) from " + other + ".holdfast_migration"))
              .isEqualTo(result.version());
        });
  }

  @Test
  void acceptsQuotedSchemaName() {
    inOtherSchema(
        "\"Hold-Fast of " + schema.name().substring(0, 20) + "\"",
        other -> {
          assertThat(migrations(other).migrate().schema())
              .isEqualTo(other.substring(1, other.length() - 1));
          migrations(other).validate();
        });
  }

  @Test
  void tenMigratorsAtOnceCreateTheSchemaToo() {
    inOtherSchema(
        schema.name() + "_ten",
        other -> {
          List<MigrationResult> results =
              ConcurrentActors.run(
                      Duration.ofMinutes(3), MIGRATORS, index -> migrations(other).migrate())
                  .resultsOrThrow();

          assertThat(results.stream().flatMap(result -> result.applied().stream()))
              .hasSize(results.get(0).version())
              .doesNotHaveDuplicates();
          migrations(other).validate();
        });
  }

  @Test
  void refusesHostileNamesBeforeAnythingIsSent() {
    for (String name :
        List.of(
            "",
            " ",
            "a.b",
            "a; drop schema b",
            "a\"; drop schema b; --",
            "\"a\"\"b\"",
            "a' or '1'='1",
            "`a`.`b`",
            "a\u0000",
            "a b")) {
      assertThatThrownBy(() -> migrations(name))
          .as(name)
          .isInstanceOf(InvalidArgumentException.class);
    }
    assertThatThrownBy(() -> migrations("my-schema"))
        .hasMessageContainingAll("name of a schema", "'my-schema'", "double quotes");
    assertThatThrownBy(() -> migrations("a".repeat(300)))
        .isInstanceOf(InvalidArgumentException.class);
  }

  @Test
  void acceptsWhatTheScriptMakes() {
    run(
        Migrations.script(
            Migrations.Database.valueOf(database().name().toUpperCase(Locale.ROOT)), null));

    migrations().validate();
    assertThat(migrations().migrate().applied()).isEmpty();
  }

  @Test
  void acceptsObjectsInOtherSchema() {
    inOtherSchema(
        schema.name() + "_script",
        other -> {
          run(
              Migrations.script(
                  Migrations.Database.valueOf(database().name().toUpperCase(Locale.ROOT)), other));

          migrations(other).validate();
          assertThat(migrations(other).migrate().applied()).isEmpty();
        });
  }

  @Test
  void worksWithAPoolOfTwo() {
    assertThat(Holdfast.create(schema.dataSource(2)).migrations().migrate().applied()).isNotEmpty();
    migrations().validate();
  }

  /** Runs a printed script as a person without any tool would. */
  private void run(String script) {
    for (String statement : script.split(";\n", -1)) {
      if (!statement.isBlank()) {
        schema.execute(statement);
      }
    }
  }

  private String currentSchema() {
    return database().name().equals("H2") && schema.url().startsWith("jdbc:h2:mem:")
        ? "public"
        : schema.name();
  }

  private interface InSchema {
    void run(String name);
  }

  private void inOtherSchema(String name, InSchema work) {
    try {
      work.run(name);
    } finally {
      boolean mySql = List.of("MariaDB", "MySQL").contains(database().name());
      schema.execute(
          "drop schema if exists "
              + (mySql ? name.replace('"', '`') : name)
              + (mySql ? "" : " cascade"));
    }
  }

  private static AbstractThrowableAssert<?, ? extends Throwable> refuses(
      SchemaException.Reason reason, ThrowingCallable work) {
    return assertThatThrownBy(work)
        .isInstanceOfSatisfying(
            SchemaException.class,
            refusal -> {
              assertThat(refusal.reason()).isEqualTo(reason);
              assertThat(refusal.code()).isEqualTo(reason.code()).startsWith("schema-");
            });
  }
}
