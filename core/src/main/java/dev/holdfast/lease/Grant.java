package dev.holdfast.lease;

import java.time.Duration;
import java.util.UUID;

/**
 * What the store has granted.
 *
 * @param deadline until when, by {@link System#nanoTime()}, counted from before it was asked for
 */
record Grant(LeaseTarget target, UUID owner, Duration lease, long token, long deadline) {
  LeaseStore.Hold hold() {
    return new LeaseStore.Hold(target.key(), owner);
  }

  /** Whether its answer came only after it had run out: then it is none. */
  boolean isLate() {
    return System.nanoTime() - deadline >= 0;
  }
}
