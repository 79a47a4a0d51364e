package dev.holdfast.lease.internal;

import java.util.UUID;

/**
 * One that holds a shared lease, or waits in a queue.
 *
 * @param arrival its place among those who wait
 * @param left how many microseconds until it counts no more
 */
record Entry(UUID owner, boolean held, long arrival, long token, int permits, long left) {
  boolean isLive() {
    return left > 0;
  }
}
