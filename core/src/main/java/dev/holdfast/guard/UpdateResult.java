package dev.holdfast.guard;

import dev.holdfast.transaction.Row;

/** How a versioned update ended. */
public sealed interface UpdateResult {
  /**
   * The row was as expected and is changed; {@code version} is the new one, 0 without a version.
   */
  record Applied(long version) implements UpdateResult {}

  /**
   * The row was not as expected and is not changed; this is how it is now.
   *
   * @param version of the row now; 0 without a version, {@link #NO_VERSION} where it is null
   */
  record Conflict(long version, Row current) implements UpdateResult {
    /** Stands for a version that is null in the database, so that no update can ever match it. */
    public static final long NO_VERSION = -1;
  }

  /** There is no such row. */
  record NotFound() implements UpdateResult {}
}
