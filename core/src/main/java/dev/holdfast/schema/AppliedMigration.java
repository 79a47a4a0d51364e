package dev.holdfast.schema;

import java.time.Instant;

/**
 * A migration that has run, as the ledger tells.
 *
 * @param checksum SHA-256 of its file
 * @param appliedAt by the clock of the database
 */
public record AppliedMigration(int version, String name, String checksum, Instant appliedAt) {
  /** The name of its file, such as {@code 0001_ledger.sql}. */
  public String fileName() {
    return MigrationFile.fileName(version, name);
  }
}
