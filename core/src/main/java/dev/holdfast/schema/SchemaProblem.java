package dev.holdfast.schema;

import java.util.Locale;

/** What can be wrong with the schema of Holdfast's tables, or keep it from being migrated. */
public enum SchemaProblem {
  /** Holdfast's tables are not there at all. {@code migrate()} cures it. */
  MISSING,
  /** Some migrations have not run yet. {@code migrate()} cures it. */
  OUTDATED,
  /** A migration that has run is not the one in this jar. */
  CHANGED,
  /** A newer Holdfast has migrated the schema. */
  NEWER,
  /** A migration has run although one before it has not. */
  OUT_OF_ORDER,
  /** The ledger says that a migration has run, but a table of it is not there. */
  DAMAGED,
  /** Citus distributes tables of Holdfast, which is not supported. */
  DISTRIBUTED,
  /** This user may not read Holdfast's tables. */
  NOT_READABLE,
  /** The connection has no current schema and none was named. */
  NO_CURRENT_SCHEMA,
  /** The schema is not there and could not be created. */
  NOT_CREATED,
  /** A statement of a migration failed. */
  FAILED,
  /** Another instance was migrating, or something else held locks, for longer than was allowed. */
  BUSY,
  /** The data source does not give the second connection that migrating needs here. */
  ONE_CONNECTION;

  /** The stable code of this problem, such as {@code schema-outdated}. */
  public String code() {
    return "schema-" + name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  boolean curedByMigrating() {
    return this == MISSING || this == OUTDATED;
  }
}
