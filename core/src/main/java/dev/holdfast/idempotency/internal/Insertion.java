package dev.holdfast.idempotency.internal;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a database inserts a record unless there is one, or changes one, without waiting for another
 * transaction longer than asked.
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
   * @param expendable whether {@link Outcome#HELD} may leave the transaction unusable
   */
  Outcome insert(Connection connection, NewRecord record, Duration wait, boolean expendable)
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

  /** Answered by {@link #change} where another transaction holds the row. */
  int NOT_FREE = -1;

  /**
   * Runs a change, and answers how many rows it has changed, or {@link #NOT_FREE}.
   *
   * @param wait how long to wait for another transaction that holds a row; at least {@link
   *     #SHORTEST_WAIT}, because databases also wait for locks that have nothing to do with the
   *     row, for very short times
   * @param expendable whether {@link #NOT_FREE} may leave the transaction unusable
   */
  int change(
      Connection connection,
      Duration wait,
      boolean expendable,
      String sql,
      @Nullable Object... values)
      throws SQLException;

  Duration SHORTEST_WAIT = Duration.ofMillis(100);

  static Duration atLeastShortest(Duration wait) {
    return wait.compareTo(SHORTEST_WAIT) < 0 ? SHORTEST_WAIT : wait;
  }
}
