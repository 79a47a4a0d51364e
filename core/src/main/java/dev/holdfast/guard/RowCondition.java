package dev.holdfast.guard;

import dev.holdfast.internal.sql.SqlBuilder;
import dev.holdfast.transaction.Transaction;
import java.util.Collection;

/** What a conditional change does to a row, and what must hold for it. Immutable. */
sealed interface RowCondition permits AmountChange, SetIfNull, Transition {
  /** The columns that this alone decides about. */
  Collection<String> columns();

  /** Refuses what only the database can tell to be wrong. */
  default void check(Transaction tx, String table) {}

  /**
   * Whether a row that is not as it must be was changed by somebody else who wanted the same row:
   * it was, where there is one change to be made, and is not where there is a limit.
   */
  boolean refusalIsConflict();

  /** Writes the assignments. */
  void writeChange(SqlBuilder sql);

  /** Writes what must hold; false, or unknown, of every row that is changed already. */
  void writeCheck(SqlBuilder sql);

  /** Writes when the row is as this change leaves it. */
  void writeDone(SqlBuilder sql);
}
