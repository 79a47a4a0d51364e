package dev.holdfast.schema;

import static dev.holdfast.schema.SchemaException.Reason.CHANGED;
import static dev.holdfast.schema.SchemaException.Reason.DAMAGED;
import static dev.holdfast.schema.SchemaException.Reason.DISTRIBUTED;
import static dev.holdfast.schema.SchemaException.Reason.MISSING;
import static dev.holdfast.schema.SchemaException.Reason.NEWER;
import static dev.holdfast.schema.SchemaException.Reason.NOT_READABLE;
import static dev.holdfast.schema.SchemaException.Reason.OUTDATED;
import static dev.holdfast.schema.SchemaException.Reason.OUT_OF_ORDER;

import dev.holdfast.internal.sql.DistributedTables;
import dev.holdfast.schema.MigrationStatus.Issue;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Compares what is in a database with the migrations in this jar, and says what is wrong. */
final class SchemaValidator {
  private final String family;
  private final TargetSchema schema;
  private final List<MigrationFile> files;
  private final SchemaSnapshot state;
  private final int version;

  SchemaValidator(
      String family, TargetSchema schema, List<MigrationFile> files, SchemaSnapshot state) {
    this.family = family;
    this.schema = schema;
    this.files = files;
    this.state = state;
    this.version =
        state.applied().stream().mapToInt(MigrationStatus.Applied::version).max().orElse(0);
  }

  MigrationStatus status() {
    return new MigrationStatus(
        schema.name(), version, files.size(), state.applied(), names(pending()), findings());
  }

  /** The files that have not run. */
  List<MigrationFile> pending() {
    return files.stream().filter(file -> !state.hasRun(file)).toList();
  }

  /** The worst first: what migrating would not cure, or would make worse. */
  private List<Issue> findings() {
    List<Issue> findings = new ArrayList<>();
    findDistributed(findings);
    findUnreadable(findings);
    findNewer(findings);
    findChanged(findings);
    findOutOfOrder(findings);
    findDamaged(findings);
    findPending(findings);
    return findings;
  }

  private void findDistributed(List<Issue> findings) {
    if (!state.distributed().isEmpty()) {
      String message = "the tables of the schema %s must not be distributed, but %s are: %s";
      findings.add(
          new Issue(
              DISTRIBUTED,
              message.formatted(
                  schema, String.join(", ", state.distributed()), DistributedTables.ADVICE)));
    }
  }

  private void findUnreadable(List<Issue> findings) {
    if (!state.unreadable().isEmpty()) {
      String message =
          "the user of this connection must be allowed to read Holdfast's tables in the schema %s,"
              + " but has no right to %s; grant it USAGE on the schema and SELECT on its tables,"
              + " and INSERT, UPDATE and DELETE to work with them";
      findings.add(
          new Issue(
              NOT_READABLE, message.formatted(schema, String.join(", ", state.unreadable()))));
    }
  }

  private void findNewer(List<Issue> findings) {
    List<String> newer =
        state.applied().stream()
            .filter(migration -> migration.version() > files.size())
            .map(MigrationStatus.Applied::fileName)
            .toList();
    if (!newer.isEmpty()) {
      String message =
          "the schema %s must be at version %d or older, is at %d: a newer Holdfast has run %s;"
              + " there is no way back, so give this instance that Holdfast";
      findings.add(new Issue(NEWER, message.formatted(schema, files.size(), version, list(newer))));
    }
  }

  private void findChanged(List<Issue> findings) {
    for (MigrationStatus.Applied migration : state.applied()) {
      files.stream()
          .filter(file -> file.version() == migration.version())
          .filter(
              file ->
                  !file.checksum().equals(migration.checksum())
                      || !file.name().equals(migration.name()))
          .forEach(file -> findings.add(new Issue(CHANGED, changed(file, migration))));
    }
  }

  private String changed(MigrationFile file, MigrationStatus.Applied migration) {
    String message =
        "%s in this jar must be what has run in the schema %s, but %s ran at %s with checksum %s"
            + " and this one has %s; a released migration never changes, so find out which jar ran"
            + " it, or who has edited %s";
    return message.formatted(
        file.fileName(),
        schema,
        migration.fileName(),
        migration.appliedAt(),
        migration.checksum(),
        file.checksum(),
        schema.ledger());
  }

  private void findOutOfOrder(List<Issue> findings) {
    List<MigrationFile> skipped =
        pending().stream().filter(file -> file.version() < version).toList();
    if (!skipped.isEmpty()) {
      String message =
          "the migrations of the schema %s must run in order, but version %d has run without %s;"
              + " run what is missing by hand, with its row in %s";
      findings.add(
          new Issue(
              OUT_OF_ORDER,
              message.formatted(schema, version, list(names(skipped)), schema.ledger())));
    }
  }

  private void findDamaged(List<Issue> findings) {
    if (version > files.size()) {
      return; // a newer migration may have dropped tables
    }
    Set<String> missing = MigrationFile.tables(files.stream().filter(state::hasRun).toList());
    missing.removeAll(state.tables());
    missing.removeAll(state.unreadable());
    if (!missing.isEmpty()) {
      String message =
          "the schema %s must have the tables of version %d, but %s is not there or not for this"
              + " user to see, although %s says that its migration has run; grant the user rights"
              + " on it, or restore it";
      findings.add(
          new Issue(
              DAMAGED,
              message.formatted(schema, version, String.join(", ", missing), schema.ledger())));
    }
  }

  private void findPending(List<Issue> findings) {
    List<MigrationFile> pending =
        pending().stream().filter(file -> file.version() > version).toList();
    if (pending.isEmpty() || state.unreadable().contains(SchemaSnapshot.LEDGER)) {
      return; // what has run cannot be told without the ledger
    }
    String message =
        "the schema %s must be at version %d, %s: %s not run; call migrate() of Migrations, or run"
            + " what Migrations.upgradeScript(%d, Migrations.Database.%s, schema) prints, by hand"
            + " or with Flyway or Liquibase";
    findings.add(
        new Issue(
            version == 0 ? MISSING : OUTDATED,
            message.formatted(
                schema,
                files.size(),
                standing(),
                list(names(pending)) + (pending.size() == 1 ? " has" : " have"),
                version,
                family.toUpperCase(Locale.ROOT))));
  }

  private String standing() {
    if (version > 0) {
      return "is at " + version;
    }
    return state.exists()
        ? "has no tables of Holdfast, or none that this user has a right to"
        : "does not exist, or not for this user to see, and so has no tables of Holdfast";
  }

  private static List<String> names(List<MigrationFile> files) {
    return files.stream().map(MigrationFile::fileName).toList();
  }

  private static String list(List<String> names) {
    return String.join(", ", names);
  }
}
