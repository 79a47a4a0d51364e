package dev.holdfast.internal.lease.engine;

import dev.holdfast.HoldfastException;
import dev.holdfast.lease.Leases;
import dev.holdfast.lease.spi.LeaseStore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Releases leases that have no holder here: grants that came too late, and acquisitions that were
 * abandoned while their outcome was unknown. Runs in the background until it succeeds or the lease
 * has expired.
 */
final class OrphanedLeaseReleaser {
  private static final Logger LOG = LoggerFactory.getLogger(Leases.class);
  private static final long INITIAL_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long MAX_DELAY_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final LeaseStore store;
  private final LeaseExecutors executors;
  private final LeaseWaiters waiters;

  OrphanedLeaseReleaser(LeaseStore store, LeaseExecutors executors, LeaseWaiters waiters) {
    this.store = store;
    this.executors = executors;
    this.waiters = waiters;
  }

  /**
   * @param deadline the latest end of the lease, as far as this process knows
   */
  void release(LeaseStore.Ownership ownership, long deadline) {
    schedule(ownership, deadline, INITIAL_DELAY_NANOS);
  }

  /** As {@link #release}, but not before a moment of {@link System#nanoTime()}. */
  void releaseAt(long moment, LeaseStore.Ownership ownership, long deadline) {
    executors.at(moment, () -> release(ownership, deadline));
  }

  private void schedule(LeaseStore.Ownership ownership, long deadline, long delay) {
    executors.background("release", ownership.key(), () -> tryRelease(ownership, deadline, delay));
  }

  private void tryRelease(LeaseStore.Ownership ownership, long deadline, long delay) {
    try {
      store.release(ownership, null);
      // the store notifies other processes only
      waiters.onReleased(ownership.key(), null);
    } catch (HoldfastException e) {
      LOG.debug("could not release the orphaned lease {}", ownership.key(), e);
      long next = System.nanoTime() + delay;
      if (e.isRetryable() && deadline - next > 0) {
        long longer = Math.min(MAX_DELAY_NANOS, delay * 2);
        executors.at(next, () -> schedule(ownership, deadline, longer));
      }
    }
  }
}
