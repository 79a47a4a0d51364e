package dev.holdfast.transaction;

/** What a guard does about others who change the same rows; it decides what is better instead. */
public enum GuardKind {
  /** An update that finds out at the write that the row has changed since it was read. */
  OPTIMISTIC_UPDATE,
  /** A check and a change in one statement. */
  CONDITIONAL_CHANGE,
  /** A row that is made unless there is one of its key. */
  CREATE_ONCE,
  /** Rows that are locked before they are read. */
  ROW_LOCKS,
  /** Numbers of a parent that are counted anew from its children. */
  ROLLUP,
  /** Work that is run again in a new transaction. */
  RETRIED_WORK
}
