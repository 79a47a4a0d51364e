package dev.holdfast.internal.lease.engine;

import dev.holdfast.HoldfastException;
import dev.holdfast.lease.Lease;
import dev.holdfast.lease.Leases;
import dev.holdfast.lease.spi.LeaseStore;
import dev.holdfast.lease.spi.LeaseStore.Ownership;
import dev.holdfast.lease.spi.LeaseStore.ReleaseResult;
import dev.holdfast.lease.spi.LeaseStore.Request;
import dev.holdfast.lease.spi.LeaseStore.Successor;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Releases leases. The same step hands a lease over to the next waiter of this process, if there is
 * one. After several hand-overs in a row, waiters of other processes get their turn.
 *
 * <p>Orphaned leases have no holder here: grants that came too late, and acquisitions that were
 * abandoned while their outcome was unknown. They are released in the background, until that
 * succeeds or the lease has expired.
 */
final class LeaseReleaser {
  private static final Logger LOG = LoggerFactory.getLogger(Leases.class);
  private static final long MIN_ORPHAN_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long MAX_ORPHAN_DELAY_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** Without notifications, other processes ask at least this often. */
  private static final long OTHERS_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** With notifications, the lease is offered to others; soon it shows whether they took it. */
  private static final long OTHERS_NOTIFIED_NANOS = TimeUnit.MILLISECONDS.toNanos(4);

  private final LeaseStore store;
  private final String instanceName;
  private final LeaseWaiters waiters;
  private final LeaseExecutors executors;

  LeaseReleaser(
      LeaseStore store, String instanceName, LeaseWaiters waiters, LeaseExecutors executors) {
    this.store = store;
    this.instanceName = instanceName;
    this.waiters = waiters;
    this.executors = executors;
  }

  /** Repeats a release once, with the same successor, if its response was lost. */
  Lease.ReleaseResult release(Ownership ownership) {
    LeaseWaiters.WaitQueue queue = waiters.queue(ownership.key());
    Waiter next = queue == null ? null : queue.reserve();
    boolean result =
        (queue == null || next == null)
            ? releaseWithRetry(ownership)
            : releaseWithRetry(ownership, queue, next);
    return result ? Lease.ReleaseResult.RELEASED : Lease.ReleaseResult.LOST;
  }

  private boolean releaseWithRetry(Ownership ownership) {
    try {
      return releaseOnce(ownership);
    } catch (HoldfastException e) {
      if (!e.isRetryable()) {
        throw e;
      }
      return releaseOnce(ownership);
    }
  }

  private boolean releaseOnce(Ownership ownership) {
    boolean released = !(store.release(ownership, null) instanceof ReleaseResult.Lost);
    LeaseWaiters.WaitQueue since = waiters.queue(ownership.key());
    if (released && since != null) {
      since.wakeFirst();
    }
    return released;
  }

  private boolean releaseWithRetry(Ownership ownership, LeaseWaiters.WaitQueue queue, Waiter next) {
    Request request =
        new Request(next.target(), next.ownerId(), instanceName, next.duration(), null);
    Successor successor = new Successor(request, queue.isOthersTurn());
    try {
      return releaseOnce(ownership, queue, next, successor);
    } catch (HoldfastException e) {
      if (!e.isRetryable()) {
        throw e;
      }
      ReleaseResult result = store.release(ownership, successor);
      if (result instanceof ReleaseResult.HandedOver && next.hasLeft()) {
        releaseOrphan(request);
      }
      return !(result instanceof ReleaseResult.Lost);
    }
  }

  private void releaseOrphan(Request request) {
    releaseOrphan(
        new Ownership(request.key(), request.ownerId()),
        System.nanoTime() + request.duration().toNanos());
  }

  private boolean releaseOnce(
      Ownership ownership, LeaseWaiters.WaitQueue queue, Waiter next, Successor successor) {
    long sent = System.nanoTime();
    ReleaseResult result;
    try {
      result = store.release(ownership, successor);
    } catch (RuntimeException | Error e) {
      // the waiter asks the store as the same owner, and so finds out whether it got the lease
      next.unreserveInDoubt();
      if (next.hasLeft()) {
        releaseOrphan(successor.next());
      }
      throw e;
    }
    if (result instanceof ReleaseResult.HandedOver handed) {
      queue.handedOver();
      handOver(next, successor.next(), handed.token(), sent);
      return true;
    }
    queue.released();
    next.unreserve();
    if (result instanceof ReleaseResult.Released && successor.unlessOthersWait()) {
      next.wakeLater(waiters.isSupported() ? OTHERS_NOTIFIED_NANOS : OTHERS_POLL_NANOS);
    } else {
      next.wake();
    }
    return result instanceof ReleaseResult.Released;
  }

  private void handOver(Waiter next, Request request, long token, long sent) {
    Duration lease = request.duration();
    Grant grant =
        new Grant(request.target(), request.ownerId(), lease, token, sent + lease.toNanos());
    if (!next.handOver(grant)) {
      release(grant.ownership());
    }
  }

  /**
   * Releases an orphaned lease in the background.
   *
   * @param deadline the latest end of the lease, as far as this process knows
   */
  void releaseOrphan(Ownership ownership, long deadline) {
    scheduleOrphan(ownership, deadline, MIN_ORPHAN_DELAY_NANOS);
  }

  /** As {@link #releaseOrphan}, but not before a moment of {@link System#nanoTime()}. */
  void releaseOrphanAt(long moment, Ownership ownership, long deadline) {
    executors.at(moment, () -> releaseOrphan(ownership, deadline));
  }

  private void scheduleOrphan(Ownership ownership, long deadline, long delay) {
    executors.background(
        "release", ownership.key(), () -> tryReleaseOrphan(ownership, deadline, delay));
  }

  private void tryReleaseOrphan(Ownership ownership, long deadline, long delay) {
    try {
      store.release(ownership, null);
      // the store notifies other processes only
      waiters.onReleased(ownership.key(), null);
    } catch (HoldfastException e) {
      LOG.debug("could not release the orphaned lease {}", ownership.key(), e);
      long next = System.nanoTime() + delay;
      if (e.isRetryable() && deadline - next > 0) {
        long longer = Math.min(MAX_ORPHAN_DELAY_NANOS, delay * 2);
        executors.at(next, () -> scheduleOrphan(ownership, deadline, longer));
      }
    }
  }
}
