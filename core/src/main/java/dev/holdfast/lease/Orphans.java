package dev.holdfast.lease;

import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives back what nobody has: grants that came too late, and acquisitions that were given up while
 * their outcome was unknown. Done in the background, until it works or has run out anyway.
 */
final class Orphans {
  private static final Logger LOG = LoggerFactory.getLogger(Leases.class);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private final LeaseStore store;
  private final Keeper keeper;

  Orphans(LeaseStore store, Keeper keeper) {
    this.store = store;
    this.keeper = keeper;
  }

  /**
   * @param deadline when it has run out at the latest, as far as is known here
   */
  void release(LeaseStore.Hold hold, long deadline) {
    keeper.soon(() -> tryRelease(hold, deadline));
  }

  private void tryRelease(LeaseStore.Hold hold, long deadline) {
    try {
      store.release(hold, null);
    } catch (RuntimeException e) {
      LOG.debug("the lease {} of nobody could not be released yet", hold.key(), e);
      if (deadline - System.nanoTime() > 0) {
        keeper.at(System.nanoTime() + PAUSE_NANOS, () -> release(hold, deadline));
      }
    }
  }
}
