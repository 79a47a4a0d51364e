package dev.holdfast.guard;

import dev.holdfast.sql.Row;

/** How a roll-up ended. */
public sealed interface RollupResult {
  /** The parent is up to date; this is how it is now. */
  record RolledUp(Row row) implements RollupResult {}

  /** There is no such parent. */
  record Missing() implements RollupResult {}
}
