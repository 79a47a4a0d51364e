package dev.holdfast.schema;

import java.util.List;

/**
 * How a schema stands to the migrations in this jar, at the moment it was looked at. Immutable.
 *
 * @param schema the name of the schema
 * @param version the version it has now; 0 where nothing has run
 * @param expectedVersion the version that this jar works with
 * @param applied what has run, by version
 * @param pending the files that have not run yet, in order
 * @param findings everything that is wrong, the one to look at first in front
 */
public record MigrationStatus(
    String schema,
    int version,
    int expectedVersion,
    List<AppliedMigration> applied,
    List<String> pending,
    List<Issue> findings) {

  /**
   * One thing that is wrong.
   *
   * @param message what must hold, what it is, and what to do
   */
  public record Issue(SchemaProblem problem, String message) {}

  public MigrationStatus {
    applied = List.copyOf(applied);
    pending = List.copyOf(pending);
    findings = List.copyOf(findings);
  }

  /** Whether Holdfast can work with this schema. */
  public boolean upToDate() {
    return findings.isEmpty();
  }

  /** Refuses a schema that Holdfast cannot work with. */
  void requireUpToDate() {
    refuse(findings);
  }

  /** Refuses a schema that must not be migrated. */
  void requireMigratable() {
    refuse(findings.stream().filter(found -> !found.problem().curedByMigrating()).toList());
  }

  private static void refuse(List<Issue> findings) {
    if (!findings.isEmpty()) {
      throw new SchemaException(
          findings.get(0).problem(),
          String.join(". Also: ", findings.stream().map(Issue::message).toList()));
    }
  }
}
