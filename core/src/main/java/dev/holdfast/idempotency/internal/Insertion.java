package dev.holdfast.idempotency.internal;

import dev.holdfast.sql.SqlError;
import dev.holdfast.sql.SqlErrors;
import dev.holdfast.sql.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How a database inserts a record unless there is one, or changes one, without waiting for another
 * transaction longer than asked.
 */
interface Insertion {
  /** What became of it. */
  sealed interface Tried {
    record Inserted() implements Tried {}

    /** There is a record. */
    record There(Seen seen) implements Tried {}

    /** It was removed since, or another transaction has one that cannot be seen yet. */
    record Unseen() implements Tried {}

    /** Another transaction has the key, and had it until the wait was over. */
    record Held() implements Tried {}

    static Tried of(Optional<Seen> seen) {
      return seen.isPresent() ? new There(seen.get()) : new Unseen();
    }
  }

  /**
   * Inserts a record, or looks at the one that is there.
   *
   * @param wait how long to wait for another transaction that has the key, where insertions wait
   * @param expendable whether {@link Tried.Held} may leave the transaction unusable
   * @param read what a look of this transaction ends with; {@link #ENDING} for looking only for an
   *     answer, and ending the transaction
   */
  Tried insert(
      Connection connection,
      NewRecord record,
      Duration wait,
      boolean expendable,
      Supplier<String> read)
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

  /**
   * Makes sure that no other transaction that inserts, or wants to, works on the key, where
   * insertions do not wait: so that those who come later do not wait for this one. Waits as {@link
   * #await}, and asks once where it is not to wait.
   */
  default boolean alone(Connection connection, RecordId id, Duration wait, boolean expendable)
      throws SQLException {
    return true;
  }

  /**
   * Whether a change of a row fails in this transaction where somebody else has changed the row
   * since the transaction began to read.
   */
  boolean refusesWhatHasChanged(Transaction tx) throws SQLException;

  /** Whether a statement waited for as long as it, or any statement, may. */
  static boolean isOverTime(SQLException failure) {
    SqlError error = SqlErrors.classify(failure);
    return error == SqlError.LOCK_TIMEOUT || error == SqlError.STATEMENT_TIMEOUT;
  }

  /** Where {@link RecordSql#rollsBackByText}. */
  String ENDING = "; ROLLBACK";

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
