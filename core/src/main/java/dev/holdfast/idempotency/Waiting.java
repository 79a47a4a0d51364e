package dev.holdfast.idempotency;

import dev.holdfast.idempotency.IdempotencyStore.Claimed;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** The pauses of a duplicate that waits: short at first, and never past its own end. */
final class Waiting {
  private static final long SHORTEST_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private final long deadline;
  private long pause = SHORTEST_NANOS;

  Waiting(Duration longest) {
    this.deadline = System.nanoTime() + longest.toNanos();
  }

  /** Pauses, and tells whether it is worth to ask again. An interrupt ends the wait and stays. */
  boolean again(Claimed.Busy busy) {
    long left = deadline - System.nanoTime();
    if (left <= 0) {
      return false;
    }
    long nanos = Math.min(left, ThreadLocalRandom.current().nextLong(pause / 2, pause + 1));
    Duration lease = busy.left();
    if (lease != null) {
      // a claim that is not renewed can be taken the moment that it runs out
      nanos = Math.min(nanos, Math.max(lease.toNanos(), TimeUnit.MILLISECONDS.toNanos(1)));
    }
    pause = Math.min(LONGEST_NANOS, pause * 2);
    try {
      TimeUnit.NANOSECONDS.sleep(nanos);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
