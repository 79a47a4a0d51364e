package dev.holdfast.internal.lease.engine;

import dev.holdfast.lease.LeaseRequest;
import dev.holdfast.lease.spi.LeaseStore;
import java.time.Duration;
import java.util.UUID;

/**
 * A lease as the store has granted it.
 *
 * @param deadline the end by {@link System#nanoTime()}, counted from before the request was sent
 */
record Grant(
    LeaseRequest.Target target, UUID ownerId, Duration duration, long token, long deadline) {
  LeaseStore.Ownership ownership() {
    return new LeaseStore.Ownership(target.key(), ownerId);
  }

  /** Whether the response came after the end of the lease: then nothing was acquired. */
  boolean isLate() {
    return System.nanoTime() - deadline >= 0;
  }
}
