package dev.holdfast.guard;

import dev.holdfast.transaction.GuardKind;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The counts of one guard over a sliding time: a ring of buckets, the oldest replaced by the
 * newest. Lock-free; no count is lost, except with the bucket that it belongs to.
 */
final class SlidingWindowCounter {
  static final int BUCKETS = 30;

  private final AtomicReferenceArray<Bucket> ring = new AtomicReferenceArray<>(BUCKETS);
  private final GuardKind kind;

  SlidingWindowCounter(GuardKind kind) {
    this.kind = kind;
  }

  /** What happened in one thirtieth of the time. */
  static final class Bucket {
    private final long slot;
    private final AtomicLong attempts = new AtomicLong();
    private final AtomicLong conflicts = new AtomicLong();
    private final AtomicLong retries = new AtomicLong();

    Bucket(long slot) {
      this.slot = slot;
    }
  }

  void attempted(long slot, boolean conflict) {
    Bucket bucket = bucket(slot);
    // the attempt first, and read last: so no reader sees more conflicts than attempts
    bucket.attempts.incrementAndGet();
    if (conflict) {
      bucket.conflicts.incrementAndGet();
    }
  }

  void retrying(long slot) {
    bucket(slot).retries.incrementAndGet();
  }

  ConflictRate rate(String guard, long slot, Duration window) {
    long attempts = 0;
    long conflicts = 0;
    long retries = 0;
    for (int i = 0; i < BUCKETS; i++) {
      Bucket bucket = ring.get(i);
      if (bucket != null && bucket.slot > slot - BUCKETS) {
        conflicts += bucket.conflicts.get();
        attempts += bucket.attempts.get();
        retries += bucket.retries.get();
      }
    }
    return new ConflictRate(kind, guard, attempts, conflicts, retries, window);
  }

  private Bucket bucket(long slot) {
    int index = (int) (slot % BUCKETS);
    while (true) {
      Bucket found = ring.get(index);
      // a later one: this thread was held up for a whole window, and counts where it is now
      if (found != null && found.slot >= slot) {
        return found;
      }
      Bucket fresh = new Bucket(slot);
      if (ring.compareAndSet(index, found, fresh)) {
        return fresh;
      }
    }
  }
}
