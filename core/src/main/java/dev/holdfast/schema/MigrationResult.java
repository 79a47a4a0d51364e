package dev.holdfast.schema;

import java.util.List;

/**
 * What {@link Migrations#migrate()} did.
 *
 * @param schema the name of the schema
 * @param applied the files that this call has run, in order; empty where there was nothing to do or
 *     another instance did it
 * @param version the version that the schema has now
 */
public record MigrationResult(String schema, List<String> applied, int version) {
  public MigrationResult {
    applied = List.copyOf(applied);
  }
}
