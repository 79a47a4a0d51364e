package dev.holdfast.sql;

import dev.holdfast.sql.internal.SqlText;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/**
 * What is in the database.
 *
 * @param exists whether the schema does
 * @param applied what the ledger tells, by version; empty where there is no ledger
 * @param tables Holdfast's tables, in lower case
 */
record SchemaState(boolean exists, List<AppliedMigration> applied, Set<String> tables) {
  static final String LEDGER = "holdfast_migration";

  private static final String SCHEMA =
      "SELECT COUNT(*) AS found FROM information_schema.schemata WHERE schema_name = ";
  private static final String TABLES =
      """
      SELECT table_name AS found FROM information_schema.tables
       WHERE LOWER(table_name) LIKE 'holdfast%' AND table_schema =\s""";

  static SchemaState read(Transaction tx, MigrationSchema schema) {
    boolean exists =
        new SqlText(tx.dialect())
            .add(SCHEMA)
            .value(schema.name())
            .row(tx, () -> "looking for the schema " + schema)
            .filter(row -> row.number("found") > 0)
            .isPresent();
    List<AppliedMigration> applied =
        tables(tx, schema).contains(LEDGER) ? applied(tx, schema) : List.of();
    // the tables after the ledger: a table may be there before its row in the ledger, never later
    return new SchemaState(exists, applied, tables(tx, schema));
  }

  /** Adds a migration that has run to the end. */
  static void record(Transaction tx, MigrationSchema schema, MigrationFile file) {
    new SqlText(tx.dialect())
        .add("INSERT INTO " + schema.ledger() + " (version, name, checksum, applied_at) VALUES (")
        .values(List.of(file.version(), file.name(), file.checksum()))
        .add(", ")
        .now()
        .add(")")
        .update(tx, () -> "recording " + file.fileName() + " in " + schema.ledger());
  }

  boolean hasRun(MigrationFile file) {
    return applied.stream().anyMatch(migration -> migration.version() == file.version());
  }

  /** Whether nobody has moved the schema on since {@code before}. */
  boolean standsWhere(SchemaState before) {
    return exists == before.exists && applied.equals(before.applied);
  }

  private static Set<String> tables(Transaction tx, MigrationSchema schema) {
    Set<String> tables = new TreeSet<>();
    new SqlText(tx.dialect())
            .add(TABLES)
            .value(schema.name())
            .rows(tx, () -> "looking for the tables of the schema " + schema)
            .stream()
            .map(row -> String.valueOf(row.text("found")).toLowerCase(Locale.ROOT))
            .forEach(tables::add);
    return tables;
  }

  private static List<AppliedMigration> applied(Transaction tx, MigrationSchema schema) {
    String query =
        "SELECT version, name, checksum, applied_at FROM " + schema.ledger() + " ORDER BY version";
    try (PreparedStatement statement = tx.connection().prepareStatement(query);
        ResultSet row = statement.executeQuery()) {
      List<AppliedMigration> applied = new ArrayList<>();
      while (row.next()) {
        applied.add(
            new AppliedMigration(
                row.getInt(1),
                row.getString(2),
                row.getString(3),
                row.getTimestamp(4).toInstant()));
      }
      return applied;
    } catch (SQLException e) {
      throw SqlText.failed(tx, "reading " + schema.ledger(), e);
    }
  }
}
