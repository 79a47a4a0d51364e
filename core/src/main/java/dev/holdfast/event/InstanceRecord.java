package dev.holdfast.event;

import java.time.Duration;
import java.time.Instant;

/**
 * An instance that is alive, or was until a short time ago, as the database knows it. Immutable.
 *
 * @param startedAt when it was registered; an instance that has lost its lease goes on as another
 *     one
 * @param leaseRemaining how long it is trusted without a further sign of life; zero where others
 *     have taken over, or are about to
 */
public record InstanceRecord(long id, String name, Instant startedAt, Duration leaseRemaining) {
  /** Whether it has its lease. */
  public boolean isAlive() {
    return !leaseRemaining.isZero();
  }
}
