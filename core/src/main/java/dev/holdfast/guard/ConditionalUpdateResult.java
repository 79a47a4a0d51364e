package dev.holdfast.guard;

import dev.holdfast.transaction.Row;

/** How a conditional change ended. Only {@link Applied} means that this caller did it. */
public sealed interface ConditionalUpdateResult {
  /** The row was as it must be, and this call has changed it. */
  record Applied() implements ConditionalUpdateResult {}

  /**
   * Nothing was changed, because the row is already as the change would have left it; this is how
   * it is now. A repeated request may take it for success, a competitor may not: without a
   * reference nobody can tell by whom it was done.
   */
  record AlreadyApplied(Row current) implements ConditionalUpdateResult {}

  /**
   * Nothing was changed, because the row was not as it must be; this is how it is now, which may be
   * later than when it was refused.
   */
  record Rejected(Row current) implements ConditionalUpdateResult {}

  /** There is no such row. */
  record NotFound() implements ConditionalUpdateResult {}

  /** Whether this call has changed the row. */
  default boolean changed() {
    return this instanceof Applied;
  }
}
