package dev.holdfast.event;

import dev.holdfast.HoldfastException;

/**
 * An event that is not in the hands of this instance any more: the handler's changes are rolled
 * back, because another instance makes them.
 */
public final class ClaimLostException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  ClaimLostException(EventId id, int version) {
    super(
        "event-claim-lost",
        "the event " + id + " must be at version " + version + " to be completed, is not any more",
        null);
  }
}
