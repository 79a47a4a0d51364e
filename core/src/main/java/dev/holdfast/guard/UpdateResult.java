package dev.holdfast.guard;

import dev.holdfast.sql.Row;

/** How a versioned update ended. */
public sealed interface UpdateResult {
  /**
   * The row was as expected and is changed; {@code version} is the new one, 0 without a version.
   */
  record Applied(long version) implements UpdateResult {}

  /** The row was not as expected and is not changed; this is how it is now. */
  record Conflict(long version, Row current) implements UpdateResult {}

  /** There is no such row. */
  record Missing() implements UpdateResult {}
}
