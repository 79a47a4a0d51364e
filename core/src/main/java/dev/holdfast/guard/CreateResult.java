package dev.holdfast.guard;

import dev.holdfast.transaction.Row;

/** How a creation ended: either way there is one row, and this is it, with all its columns. */
public sealed interface CreateResult {
  Row row();

  /** This call has created the row. */
  record Created(Row row) implements CreateResult {}

  /** The row was there, as it is now. Nothing was changed. */
  record AlreadyExists(Row row) implements CreateResult {}

  /** Whether this call has created the row. */
  default boolean created() {
    return this instanceof Created;
  }
}
