package dev.holdfast.server;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.Holdfast;
import dev.holdfast.InvalidArgumentException;
import dev.holdfast.schema.MigrationResult;
import dev.holdfast.schema.MigrationStatus;
import dev.holdfast.schema.Migrations;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Creates and upgrades the tables, or prints the SQL that does. */
@Command(
    name = "migrate",
    description = "create or upgrade Holdfast's tables, or print the SQL that does",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class MigrateCommand implements Runnable {
  private static final int CONNECTIONS = 2;

  private final Settings settings;

  @Mixin private DatabaseOptions database = new DatabaseOptions();

  @Option(
      names = "--print",
      description = "print all of the SQL instead, for a tool or an administrator to run")
  private boolean print;

  @Option(
      names = "--pending",
      description = "with --print: only what this database has not had yet, for an upgrade")
  private boolean pending;

  MigrateCommand(Settings settings) {
    this.settings = settings;
  }

  @Override
  public void run() {
    if (pending && !print) {
      throw new InvalidArgumentException("--pending must be given with --print");
    }
    if (print && !pending) {
      System.out.print(Migrations.script(family(database.url), database.schema));
      return;
    }
    try (Database used =
            pending
                ? Database.existing(database, settings, Progress::say)
                : Database.use(database, settings, Progress::say);
        HikariDataSource pool = used.pool(CONNECTIONS)) {
      Holdfast.Builder holdfast = Holdfast.builder(pool);
      if (database.schema != null) {
        holdfast.schema(database.schema);
      }
      Migrations here = holdfast.build().migrations();
      if (pending) {
        System.out.print(pending(here.status()));
        return;
      }
      MigrationResult result = here.migrate();
      System.out.println(
          result.applied().isEmpty()
              ? "nothing to do: the tables are at version " + result.version()
              : "applied " + String.join(", ", result.applied()));
    }
  }

  private String pending(MigrationStatus status) {
    return status.pending().isEmpty()
        ? "-- nothing to do: the tables are at version %d%n".formatted(status.version())
        : Migrations.upgradeScript(status.version(), family(database.url), database.schema);
  }

  private static Migrations.Database family(@Nullable String url) {
    String family = url == null ? "postgresql" : url.replaceFirst("^jdbc:([a-z0-9]+):.*", "$1");
    return switch (family) {
      case "postgresql" -> Migrations.Database.POSTGRESQL;
      case "mariadb" -> Migrations.Database.MARIADB;
      case "mysql" -> Migrations.Database.MYSQL;
      case "h2" -> Migrations.Database.H2;
      default ->
          throw new InvalidArgumentException(
              "the database must be postgresql, mariadb, mysql or h2, was '" + family + "'");
    };
  }
}
