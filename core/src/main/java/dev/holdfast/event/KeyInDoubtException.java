package dev.holdfast.event;

import dev.holdfast.HoldfastException;

/**
 * A key that was taken and free in turns, so that the event could not be scheduled. Retryable in a
 * fresh transaction.
 */
public final class KeyInDoubtException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  KeyInDoubtException(String key, int attempts) {
    super(
        "event-key-in-doubt",
        "the key '"
            + key
            + "' must be free or belong to an event, was neither "
            + attempts
            + " times: it appears and vanishes, or is newer than the snapshot of this transaction",
        null);
  }

  @Override
  public boolean retryable() {
    return true;
  }
}
