package dev.holdfast.idempotency.internal;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/**
 * How a database inserts a record unless there is one, without waiting for another transaction
 * longer than asked.
 */
interface Insertion {
  /** What became of it. */
  enum Outcome {
    INSERTED,
    /** There is a record, or another transaction has one that cannot be seen yet. */
    THERE,
    /** Another transaction has the key, and had it until the wait was over. */
    HELD
  }

  /**
   * Inserts a record.
   *
   * @param wait how long to wait for another transaction that has the key, where insertions wait
   * @param overExpired whether a record whose retention is over is removed before
   */
  Outcome insert(Connection connection, NewRecord record, Duration wait, boolean overExpired)
      throws SQLException;

  /**
   * Waits until no other transaction has the key, where insertions do not wait, and tells whether
   * that is so.
   *
   * @param expendable whether the transaction may be unusable after the answer no
   */
  default boolean await(Connection connection, RecordId id, Duration wait, boolean expendable)
      throws SQLException {
    return true;
  }
}
