package dev.holdfast.guard;

import dev.holdfast.HoldfastException;
import org.jspecify.annotations.Nullable;

/** A key that cannot keep a row from being created twice. Nothing of the transaction may stand. */
public final class UnusableKeyException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private UnusableKeyException(String message, @Nullable Throwable cause) {
    super("unusable-key", message, cause);
  }

  static UnusableKeyException notUnique(RowReference target, @Nullable Throwable cause) {
    return new UnusableKeyException(
        "there must be a primary key or unique constraint on exactly the columns "
            + target.key().names()
            + " of '"
            + target.table()
            + "', is none: it would be created twice",
        cause);
  }

  static UnusableKeyException notFound(RowReference target) {
    return new UnusableKeyException(
        "the row that was just created must be found as "
            + target
            + ", was not; the value of its key was changed on its way in, such as by rounding, or by AUTO_INCREMENT, which replaces 0",
        null);
  }
}
