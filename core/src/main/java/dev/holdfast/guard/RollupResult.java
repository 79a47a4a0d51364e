package dev.holdfast.guard;

import dev.holdfast.transaction.Row;

/** How a roll-up ended. */
public sealed interface RollupResult {
  /** The parent has the numbers of its children; this is the whole parent as it is now. */
  record Applied(Row parent) implements RollupResult {}

  /** There is no such parent. */
  record NotFound() implements RollupResult {}
}
