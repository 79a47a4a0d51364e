package dev.holdfast.internal.lease.store;

import java.util.UUID;

/**
 * A holder of a shared lease, or a queued waiter.
 *
 * @param arrival its position in the queue
 * @param left the microseconds until it expires
 */
record LeaseEntry(UUID owner, boolean held, long arrival, long token, int permits, long left) {
  boolean isLive() {
    return left > 0;
  }
}
