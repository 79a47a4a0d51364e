package dev.holdfast.internal.workflow;

import dev.holdfast.idempotency.spi.IdempotencyStore.ClaimResult;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** The pauses of a duplicate that waits: short at first, and never past its timeout. */
final class WaitBackoff {
  private static final long INITIAL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long MAX_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private final long deadline;
  private long backoff = INITIAL_NANOS;

  WaitBackoff(Duration timeout) {
    this.deadline = System.nanoTime() + timeout.toNanos();
  }

  /** Waits; false if the timeout is over. An interrupt ends the wait and stays. */
  boolean await(ClaimResult.InProgress progress) {
    long left = deadline - System.nanoTime();
    if (left <= 0) {
      return false;
    }
    long nanos = Math.min(left, ThreadLocalRandom.current().nextLong(backoff / 2, backoff + 1));
    Duration lease = progress.leaseRemaining();
    if (lease != null) {
      // a lease that is not renewed can be claimed as soon as it expires
      nanos = Math.min(nanos, Math.max(lease.toNanos(), TimeUnit.MILLISECONDS.toNanos(1)));
    }
    backoff = Math.min(MAX_NANOS, backoff * 2);
    try {
      TimeUnit.NANOSECONDS.sleep(nanos);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
