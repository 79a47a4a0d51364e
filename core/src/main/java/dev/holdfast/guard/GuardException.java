package dev.holdfast.guard;

import dev.holdfast.HoldfastException;
import org.jspecify.annotations.Nullable;

/**
 * A guard is used in a way that cannot work, such as with a key that names several rows. Not
 * retryable: change the program. Roll back the transaction.
 */
public class GuardException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  GuardException(String code, String message, @Nullable Throwable cause) {
    super(code, message, cause);
  }

  static GuardException ambiguousRow(String target, int rows) {
    return new GuardException(
        "guard-ambiguous-row",
        "A guard must name one row, but "
            + target
            + " names at least "
            + rows
            + ". Use the columns of a primary key or unique constraint. Roll back.",
        null);
  }

  static GuardException notUnique(RowReference target, @Nullable Throwable cause) {
    return unusableKey(
        "There is no primary key or unique constraint on exactly the columns "
            + target.key().names()
            + " of '"
            + target.table()
            + "'. Without one, the row could be created twice.",
        cause);
  }

  static GuardException createdRowNotFound(RowReference target) {
    return unusableKey(
        "The row that was just created cannot be found as "
            + target
            + ". The database has changed the value of its key, such as by rounding, or because"
            + " AUTO_INCREMENT replaces 0.",
        null);
  }

  private static GuardException unusableKey(String message, @Nullable Throwable cause) {
    return new GuardException("guard-unusable-key", message, cause);
  }
}
