package dev.holdfast.schema;

import dev.holdfast.internal.sql.DistributedTables;
import dev.holdfast.internal.sql.PostgreSqlDialect;
import dev.holdfast.internal.sql.SqlBuilder;
import dev.holdfast.transaction.Transaction;
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
 * @param unreadable those that are there but that this user may not read, where that can be told
 * @param distributed those that Citus distributes
 */
record SchemaSnapshot(
    boolean exists,
    List<MigrationStatus.Applied> applied,
    Set<String> tables,
    Set<String> unreadable,
    Set<String> distributed) {
  static final String LEDGER = "holdfast_migration";

  private static final String SCHEMA =
      "SELECT COUNT(*) AS found FROM information_schema.schemata WHERE schema_name = ";
  private static final String TABLES =
      """
      SELECT table_name AS found FROM information_schema.tables
       WHERE LOWER(table_name) LIKE 'holdfast%' AND table_schema = \
      """;

  /** Elsewhere what a user has no right to cannot be told from what is not there. */
  private static final String UNREADABLE_ON_POSTGRESQL =
      """
      SELECT c.relname AS found FROM pg_catalog.pg_class c \
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
      WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname LIKE 'holdfast%' \
      AND NOT (has_table_privilege(c.oid, 'SELECT') AND has_schema_privilege(n.oid, 'USAGE')) \
      AND n.nspname = \
      """;

  static SchemaSnapshot read(Transaction tx, TargetSchema schema) {
    boolean exists =
        new SqlBuilder(tx.dialect())
            .add(SCHEMA)
            .value(schema.name())
            .row(tx, () -> "looking for the schema " + schema)
            .filter(row -> row.number("found") > 0)
            .isPresent();
    Set<String> unreadable = unreadable(tx, schema);
    boolean hasLedger = tables(tx, schema).contains(LEDGER) && !unreadable.contains(LEDGER);
    List<MigrationStatus.Applied> applied = hasLedger ? applied(tx, schema) : List.of();
    // the tables after the ledger: a table may be there before its row in the ledger, never later
    return new SchemaSnapshot(
        exists, applied, tables(tx, schema), unreadable, distributed(tx, schema));
  }

  /** Adds a migration that has run to the end. */
  static void record(Transaction tx, TargetSchema schema, MigrationFile file) {
    new SqlBuilder(tx.dialect())
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
  boolean standsWhere(SchemaSnapshot before) {
    return exists == before.exists && applied.equals(before.applied);
  }

  private static Set<String> unreadable(Transaction tx, TargetSchema schema) {
    return tx.dialect() instanceof PostgreSqlDialect
        ? tables(tx, schema, UNREADABLE_ON_POSTGRESQL)
        : Set.of();
  }

  private static Set<String> distributed(Transaction tx, TargetSchema schema) {
    try {
      return DistributedTables.find(tx.connection(), tx.dialect(), schema.name());
    } catch (SQLException e) {
      throw SqlBuilder.failed(tx, "looking for distributed tables in the schema " + schema, e);
    }
  }

  private static Set<String> tables(Transaction tx, TargetSchema schema) {
    return tables(tx, schema, TABLES);
  }

  private static Set<String> tables(Transaction tx, TargetSchema schema, String query) {
    Set<String> tables = new TreeSet<>();
    new SqlBuilder(tx.dialect())
            .add(query)
            .value(schema.name())
            .rows(tx, () -> "looking for the tables of the schema " + schema)
            .stream()
            .map(row -> String.valueOf(row.text("found")).toLowerCase(Locale.ROOT))
            .forEach(tables::add);
    return tables;
  }

  private static List<MigrationStatus.Applied> applied(Transaction tx, TargetSchema schema) {
    String query =
        "SELECT version, name, checksum, applied_at FROM " + schema.ledger() + " ORDER BY version";
    try (PreparedStatement statement = tx.connection().prepareStatement(query);
        ResultSet row = statement.executeQuery()) {
      List<MigrationStatus.Applied> applied = new ArrayList<>();
      while (row.next()) {
        applied.add(
            new MigrationStatus.Applied(
                row.getInt(1),
                row.getString(2),
                row.getString(3),
                row.getTimestamp(4).toInstant()));
      }
      return applied;
    } catch (SQLException e) {
      throw SqlBuilder.failed(tx, "reading " + schema.ledger(), e);
    }
  }
}
