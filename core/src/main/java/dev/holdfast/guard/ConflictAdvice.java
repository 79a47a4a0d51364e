package dev.holdfast.guard;

import dev.holdfast.transaction.GuardKind;

/** What to use instead of a guard that meets others too often, and why. */
final class ConflictAdvice {
  private ConflictAdvice() {}

  static String of(GuardKind kind) {
    return switch (kind) {
      case OPTIMISTIC_UPDATE ->
          "Do not read first and hope: too many look at the same row at once, and all but one of them"
              + " work in vain. If the change is arithmetic or depends on the row alone, make it one"
              + " conditional statement (Conditional): nothing is read, so nothing is stale. If it"
              + " needs what it reads, lock the row before reading (RowLocks): waiting costs less than"
              + " doing the work again.";
      case CONDITIONAL_CHANGE ->
          "Many come too late: another one had moved or marked the row before. A refusal costs one"
              + " statement only, so keep the guard; but do not prepare work for a row before the"
              + " change is made, and give repeated requests a key (Idempotency) or the work one owner"
              + " (an event, or a lease).";
      case CREATE_ONCE ->
          "The row appears and vanishes while others want to create it: mark it as gone instead of"
              + " deleting it, or let its creation and its deletion lock the same parent row first"
              + " (RowLocks).";
      case ROW_LOCKS ->
          "Hold the locks for a shorter time: take them as late as possible, do nothing slow while"
              + " they are held, and lock fewer rows at once. Where everybody locks one row, make the"
              + " change one conditional statement (Conditional), or several rows that are added up"
              + " (Rollup). Change rows in the order in which others lock them, or lock them all first.";
      case ROLLUP ->
          "Too many change children of the same parent at once: roll up last in the transaction and"
              + " lock the parent first where the database asks for it, keep the transaction short, or"
              + " count when reading instead of when writing.";
      case RETRIED_WORK ->
          "Let fewer meet: lock all rows of the transaction first and in one order (RowLocks), so that"
              + " others wait instead of failing; keep the transaction short; give what everybody"
              + " writes several rows that are added up (Rollup).";
    };
  }
}
