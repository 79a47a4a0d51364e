package dev.holdfast.event;

import dev.holdfast.HoldfastException;
import java.sql.SQLException;

/**
 * A key that could not be scheduled, because the transaction of another session has inserted it and
 * does not end. Nothing is known of that event yet. Retryable in a fresh transaction.
 */
public final class KeyLockedException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private final String key;

  KeyLockedException(String key, SQLException cause) {
    super(
        "event-key-locked",
        "the event with the key '"
            + key
            + "' could not be scheduled: another session has inserted the same key in a transaction"
            + " that did not end before the lock timeout; roll back and try again, and where it"
            + " happens again, look for a session that stays idle in its transaction",
        cause);
    this.key = key;
  }

  /** The key that another session holds. */
  public String key() {
    return key;
  }

  @Override
  public boolean retryable() {
    return true;
  }
}
