package dev.holdfast.lease;

import dev.holdfast.HoldfastException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives back what nobody has: grants that came too late, and acquisitions that were given up while
 * their outcome was unknown. Done in the background, until it works or has run out anyway.
 */
final class Orphans {
  private static final Logger LOG = LoggerFactory.getLogger(Leases.class);
  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final LeaseStore store;
  private final Keeper keeper;
  private final WaitingRoom room;

  Orphans(LeaseStore store, Keeper keeper, WaitingRoom room) {
    this.store = store;
    this.keeper = keeper;
    this.room = room;
  }

  /**
   * @param deadline when it has run out at the latest, as far as is known here
   */
  void release(LeaseStore.Hold hold, long deadline) {
    keeper.soon(() -> tryRelease(hold, deadline, FIRST_PAUSE_NANOS));
  }

  /** As {@link #release}, not before a moment of {@link System#nanoTime()}. */
  void releaseAt(long moment, LeaseStore.Hold hold, long deadline) {
    keeper.at(moment, () -> release(hold, deadline));
  }

  private void tryRelease(LeaseStore.Hold hold, long deadline, long pause) {
    try {
      store.release(hold, null);
      // the store tells other processes only
      room.released(hold.key(), null);
    } catch (HoldfastException e) {
      LOG.debug("the lease {} of nobody could not be released", hold.key(), e);
      long next = System.nanoTime() + pause;
      if (e.retryable() && deadline - next > 0) {
        long longer = Math.min(LONGEST_PAUSE_NANOS, pause * 2);
        keeper.at(next, () -> keeper.soon(() -> tryRelease(hold, deadline, longer)));
      }
    }
  }
}
