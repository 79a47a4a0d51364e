package dev.holdfast.schema;

import dev.holdfast.internal.Require;
import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.internal.sql.H2Dialect;
import dev.holdfast.internal.sql.MySqlDialect;
import dev.holdfast.internal.sql.PostgreSqlDialect;
import dev.holdfast.internal.sql.SqlIdentifiers;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Writes migrations as one text for other tools, with the rows of the ledger. */
final class MigrationScript {
  private MigrationScript() {}

  static String of(
      Function<String, List<MigrationFile>> allFiles,
      Migrations.Database database,
      @Nullable String schemaName,
      int after) {
    Dialect dialect = dialect(database);
    List<MigrationFile> files = allFiles.apply(dialect.family());
    Require.between(after, 0, files.size(), "the version after which the script begins");
    @Nullable TargetSchema schema =
        schemaName == null ? null : TargetSchema.named(dialect, schemaName);
    StringBuilder script = new StringBuilder();
    script.append(
        after == files.size()
            ? "-- Holdfast on %s has nothing after version %d.\n".formatted(dialect.family(), after)
            : "-- Holdfast on %s, versions %d to %d. Run all of it, once, in order.\n\n"
                .formatted(dialect.family(), after + 1, files.size()));
    if (schema != null && after == 0) {
      script.append("-- Take this out where an administrator has created the schema.\n");
      script.append(schema.create()).append(";\n\n");
    }
    for (MigrationFile file : files.subList(after, files.size())) {
      append(script, file, schema == null ? "" : schema.prefix(), dialect);
    }
    return script.toString();
  }

  private static void append(
      StringBuilder script, MigrationFile file, String prefix, Dialect dialect) {
    script.append("-- ").append(file.fileName()).append('\n');
    for (String statement : file.statements(prefix)) {
      script.append(statement).append(";\n\n");
    }
    script.append(
        """
        INSERT INTO %sholdfast_migration (version, name, checksum, applied_at)
        VALUES (%d, '%s', '%s', %s);

        """
            .formatted(prefix, file.version(), file.name(), file.checksum(), dialect.now()));
  }

  /** As there is no connection to ask, names are folded as the database does by default. */
  private static Dialect dialect(Migrations.Database database) {
    return switch (database) {
      case POSTGRESQL -> new PostgreSqlDialect("PostgreSQL");
      case MYSQL -> new MySqlDialect("MySQL", false);
      case MARIADB -> new MySqlDialect("MariaDB", true);
      case H2 -> new H2Dialect("H2", SqlIdentifiers.Folding.UPPER);
    };
  }
}
