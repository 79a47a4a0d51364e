package dev.holdfast.schema;

import java.time.Instant;
import java.util.List;

/**
 * The state of a schema, compared with the migrations in this jar. Immutable.
 *
 * @param schema the name of the schema
 * @param version the version of the schema; 0 if no migration has run
 * @param expectedVersion the version that this jar works with
 * @param applied the migrations that have run, by version
 * @param pending the files that have not run yet, in order
 * @param issues everything that is wrong, the one to fix first in front
 */
public record MigrationStatus(
    String schema,
    int version,
    int expectedVersion,
    List<Applied> applied,
    List<String> pending,
    List<Issue> issues) {

  /**
   * A migration that has run, as recorded in the ledger.
   *
   * @param checksum SHA-256 of its file
   * @param appliedAt by the clock of the database
   */
  public record Applied(int version, String name, String checksum, Instant appliedAt) {
    /** The name of its file, such as {@code 0001_ledger.sql}. */
    public String fileName() {
      return MigrationFile.fileName(version, name);
    }
  }

  /**
   * One thing that is wrong.
   *
   * @param message what must hold, what it is, and what to do
   */
  public record Issue(SchemaException.Reason reason, String message) {}

  public MigrationStatus {
    applied = List.copyOf(applied);
    pending = List.copyOf(pending);
    issues = List.copyOf(issues);
  }

  /** Whether Holdfast can work with this schema. */
  public boolean isUpToDate() {
    return issues.isEmpty();
  }

  /** Rejects a schema that Holdfast cannot work with. */
  void requireUpToDate() {
    reject(issues);
  }

  /** Rejects a schema that must not be migrated. */
  void requireMigratable() {
    reject(issues.stream().filter(issue -> !issue.reason().isFixedByMigrating()).toList());
  }

  private static void reject(List<Issue> issues) {
    if (!issues.isEmpty()) {
      throw new SchemaException(
          issues.get(0).reason(),
          String.join(". Also: ", issues.stream().map(Issue::message).toList()));
    }
  }
}
