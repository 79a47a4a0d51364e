package dev.holdfast.internal.lease.engine;

import dev.holdfast.LeaseLostException;
import dev.holdfast.internal.Require;
import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseRequest;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Lets a thread acquire a lease again that it holds, with the same token; only on request. */
final class ReentrantLeases {
  private final ThreadLocal<Map<LeaseKey, Shared>> held = ThreadLocal.withInitial(HashMap::new);

  /** A lease, and how often it is held; the count changes only under the lock. */
  private record Shared(DefaultLease lease, AtomicInteger count, ReentrantLock lock) {}

  /**
   * Returns null if this thread does not hold the lease.
   *
   * @throws LeaseLostException if the lease was lost; the next request acquires it anew
   */
  @Nullable Lease enter(LeaseRequest.Target target, Duration duration) {
    Shared shared = held.get().get(target.key());
    if (shared == null || shared.count.get() == 0 || shared.lease.isReleased()) {
      return null;
    }
    Require.that(
        shared.lease.target().equals(target),
        () ->
            "the lease "
                + target
                + " must be requested as this thread already holds it, which is "
                + shared.lease.target()
                + "; the thread would wait for itself");
    if (shared.lease.remaining().compareTo(duration) < 0) {
      shared.lease.renew();
    }
    if (!shared.lease.isValid()) {
      // a lease that was never released must not block a pool thread forever
      held.get().remove(target.key());
    }
    shared.lease.ensureValid(Duration.ZERO);
    Require.that(
        duration.compareTo(shared.lease.duration()) <= 0,
        () ->
            "the lease "
                + target
                + " is held by this thread for "
                + shared.lease.duration()
                + " and cannot be acquired again for "
                + duration
                + "; request the longer duration first");
    return acquireAgain(shared);
  }

  private @Nullable Lease acquireAgain(Shared shared) {
    shared.lock.lock();
    try {
      // another thread may be releasing it for the last time
      if (shared.count.get() == 0) {
        return null;
      }
      shared.count.incrementAndGet();
      return new Acquisition(shared, held.get(), false);
    } finally {
      shared.lock.unlock();
    }
  }

  Lease first(DefaultLease lease) {
    Shared shared = new Shared(lease, new AtomicInteger(1), new ReentrantLock());
    held.get().put(lease.key(), shared);
    return new Acquisition(shared, held.get(), true);
  }

  /** The lease behind its first acquisition; null for a repeated one. */
  static @Nullable DefaultLease own(Lease lease) {
    if (lease instanceof Acquisition acquisition) {
      return acquisition.first ? acquisition.shared.lease : null;
    }
    return lease instanceof DefaultLease plain ? plain : null;
  }

  /** One of several acquisitions of a lease; the last one to end releases it. */
  private static final class Acquisition implements Lease {
    private final Shared shared;
    private final Map<LeaseKey, Shared> leases;
    private final boolean first;
    private final Thread thread = Thread.currentThread();
    private volatile Lease.@Nullable ReleaseResult result;

    Acquisition(Shared shared, Map<LeaseKey, Shared> leases, boolean first) {
      this.shared = shared;
      this.leases = leases;
      this.first = first;
    }

    @Override
    public LeaseKey key() {
      return shared.lease.key();
    }

    @Override
    public long token() {
      return shared.lease.token();
    }

    @Override
    public Duration remaining() {
      return shared.lease.remaining();
    }

    @Override
    public boolean isValid() {
      return shared.lease.isValid();
    }

    @Override
    public void ensureValid(Duration margin) {
      shared.lease.ensureValid(margin);
    }

    @Override
    public void onLost(Consumer<LeaseLostException> action) {
      shared.lease.onLost(action);
    }

    @Override
    public Lease.RenewResult renew() {
      return shared.lease.renew();
    }

    @Override
    public Lease.ReleaseResult release() {
      shared.lock.lock();
      try {
        Lease.ReleaseResult known = result;
        Lease.ReleaseResult outcome = known == null ? releaseOnce() : known;
        result = outcome;
        return outcome;
      } finally {
        shared.lock.unlock();
      }
    }

    private Lease.ReleaseResult releaseOnce() {
      Lease.ReleaseResult outcome;
      if (shared.count.get() > 1) {
        outcome = isValid() ? Lease.ReleaseResult.RELEASED : Lease.ReleaseResult.LOST;
      } else {
        outcome = shared.lease.release();
        if (Thread.currentThread() == thread) {
          leases.remove(key(), shared);
        }
      }
      shared.count.decrementAndGet();
      return outcome;
    }

    @Override
    public void close() {
      if (result == null && release() == Lease.ReleaseResult.LOST) {
        throw shared.lease.lostBeforeRelease();
      }
    }

    @Override
    public String toString() {
      return shared.lease.toString();
    }
  }
}
