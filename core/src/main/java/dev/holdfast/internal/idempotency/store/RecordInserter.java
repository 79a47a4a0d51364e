package dev.holdfast.internal.idempotency.store;

import dev.holdfast.transaction.SqlError;
import dev.holdfast.transaction.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How a database inserts a record if absent, or changes one, without waiting for another
 * transaction longer than allowed.
 */
interface RecordInserter {
  /** The result of an insert. */
  sealed interface Attempt {
    record Inserted() implements Attempt {}

    /** There is a record. */
    record Found(RecordSnapshot snapshot) implements Attempt {}

    /** The record was deleted in between, or that of another transaction is not visible yet. */
    record NotVisible() implements Attempt {}

    /** Another transaction had the key until the wait was over. */
    record Locked() implements Attempt {}

    static Attempt of(Optional<RecordSnapshot> snapshot) {
      return snapshot.isPresent() ? new Found(snapshot.get()) : new NotVisible();
    }
  }

  /**
   * Inserts a record, or reads the one that is there.
   *
   * @param wait how long to wait for another transaction that has the key, if inserts wait
   * @param mayFail whether {@link Attempt.Locked} may leave the transaction unusable
   * @param read how a read of this transaction ends; {@link #ENDING} to read only a completed
   *     record, and to end the transaction
   */
  Attempt insert(
      Connection connection,
      NewRecord record,
      Duration wait,
      boolean mayFail,
      Supplier<String> read)
      throws SQLException;

  /**
   * Waits until no other transaction has the key, if inserts do not wait; false if the wait was
   * over before.
   *
   * @param mayFail whether the transaction may be unusable after {@code false}
   */
  default boolean await(Connection connection, RecordId id, Duration wait, boolean mayFail)
      throws SQLException {
    return true;
  }

  /**
   * Whether no other transaction inserts the key or waits for it, if inserts do not wait: so that
   * later ones do not wait for this one. Waits as {@link #await}; with no wait it checks once.
   */
  default boolean isFree(Connection connection, RecordId id, Duration wait, boolean mayFail)
      throws SQLException {
    return true;
  }

  /**
   * Whether a change of a row fails in this transaction if another transaction has changed the row
   * since the snapshot of this one.
   */
  boolean failsOnConcurrentChange(Transaction tx) throws SQLException;

  /** Whether a statement failed because its wait, or its time, was over. */
  static boolean isTimeout(SQLException failure) {
    SqlError error = SqlError.of(failure);
    return error == SqlError.LOCK_TIMEOUT || error == SqlError.STATEMENT_TIMEOUT;
  }

  /** For {@link RecordStatements#rollsBackByText}. */
  String ENDING = "; ROLLBACK";

  /** Returned by {@link #change} if another transaction has locked the row. */
  int NOT_FREE = -1;

  /**
   * Executes a change and returns how many rows it has changed, or {@link #NOT_FREE}.
   *
   * @param wait how long to wait for another transaction that has locked a row; at least {@link
   *     #MIN_WAIT}, because databases also wait very shortly for unrelated locks
   * @param mayFail whether {@link #NOT_FREE} may leave the transaction unusable
   */
  int change(
      Connection connection, Duration wait, boolean mayFail, String sql, @Nullable Object... values)
      throws SQLException;

  Duration MIN_WAIT = Duration.ofMillis(100);

  static Duration atLeastMinWait(Duration wait) {
    return wait.compareTo(MIN_WAIT) < 0 ? MIN_WAIT : wait;
  }
}
