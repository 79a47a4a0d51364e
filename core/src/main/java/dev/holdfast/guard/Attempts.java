package dev.holdfast.guard;

import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.GuardKind;
import dev.holdfast.transaction.SqlError;
import dev.holdfast.transaction.Transaction;
import java.util.function.Supplier;

/** Counts the attempts of guards that wait for others: a wait that fails is a conflict. */
final class Attempts {
  private Attempts() {}

  /** Whether others were in the way. */
  static boolean isConflict(DatabaseException failure) {
    SqlError error = failure.error();
    return error == SqlError.LOCK_TIMEOUT
        || error == SqlError.DEADLOCK
        || error == SqlError.SERIALIZATION_FAILURE;
  }

  static <T> T counted(Transaction tx, GuardKind kind, String name, Supplier<T> attempt) {
    T answer = countingConflicts(tx, kind, name, attempt);
    tx.listener().attempted(kind, name, false);
    return answer;
  }

  /** Where the attempt that succeeds is counted elsewhere. */
  static <T> T countingConflicts(Transaction tx, GuardKind kind, String name, Supplier<T> attempt) {
    try {
      return attempt.get();
    } catch (DatabaseException e) {
      if (isConflict(e)) {
        tx.listener().attempted(kind, name, true);
      }
      throw e;
    }
  }
}
