package dev.holdfast.lease;

import dev.holdfast.internal.Require;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Lets a thread have a lease again that it has, with the same token: only where asked for. */
final class Reentry {
  private final ThreadLocal<Map<LeaseKey, Shared>> held = ThreadLocal.withInitial(HashMap::new);

  /** A lease, and how many times it is held; whoever changes that has the lock. */
  private record Shared(DefaultLease lease, AtomicInteger times, ReentrantLock ending) {}

  /**
   * Null where this thread does not have it.
   *
   * @throws LeaseLostException where it was lost; the next time it is acquired anew
   */
  @Nullable Lease enter(LeaseTarget target, Duration duration) {
    Shared shared = held.get().get(target.key());
    if (shared == null || shared.times.get() == 0 || shared.lease.isReleased()) {
      return null;
    }
    Require.that(
        shared.lease.target().equals(target),
        () ->
            "the lease "
                + target
                + " must be asked for as this thread already holds it, which is "
                + shared.lease.target()
                + "; it would wait for itself");
    if (shared.lease.remaining().compareTo(duration) < 0) {
      shared.lease.renew();
    }
    if (!shared.lease.isValid()) {
      // one that was never released must not bar a thread of a pool for ever
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
                + " at a time, and cannot be had again for "
                + duration
                + "; ask for as much the first time");
    return entered(shared);
  }

  private @Nullable Lease entered(Shared shared) {
    shared.ending.lock();
    try {
      // its last end may be under way on another thread
      if (shared.times.get() == 0) {
        return null;
      }
      shared.times.incrementAndGet();
      return new Entered(shared, held.get(), false);
    } finally {
      shared.ending.unlock();
    }
  }

  Lease first(DefaultLease lease) {
    Shared shared = new Shared(lease, new AtomicInteger(1), new ReentrantLock());
    held.get().put(lease.key(), shared);
    return new Entered(shared, held.get(), true);
  }

  /** The lease itself, where this is its first entry or it cannot be entered. */
  static @Nullable DefaultLease own(Lease lease) {
    if (lease instanceof Entered entered) {
      return entered.first ? entered.shared.lease : null;
    }
    return lease instanceof DefaultLease plain ? plain : null;
  }

  /** One of several times that a lease is held; the last one to end releases it. */
  private static final class Entered implements Lease {
    private final Shared shared;
    private final Map<LeaseKey, Shared> home;
    private final boolean first;
    private final Thread thread = Thread.currentThread();
    private volatile @Nullable ReleaseResult result;

    Entered(Shared shared, Map<LeaseKey, Shared> home, boolean first) {
      this.shared = shared;
      this.home = home;
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
    public RenewResult renew() {
      return shared.lease.renew();
    }

    @Override
    public ReleaseResult release() {
      shared.ending.lock();
      try {
        ReleaseResult known = result;
        ReleaseResult answer = known == null ? ended() : known;
        result = answer;
        return answer;
      } finally {
        shared.ending.unlock();
      }
    }

    private ReleaseResult ended() {
      ReleaseResult answer;
      if (shared.times.get() > 1) {
        answer = isValid() ? ReleaseResult.RELEASED : ReleaseResult.WAS_LOST;
      } else {
        answer = shared.lease.release();
        if (Thread.currentThread() == thread) {
          home.remove(key(), shared);
        }
      }
      shared.times.decrementAndGet();
      return answer;
    }

    @Override
    public void close() {
      if (result == null && release() == ReleaseResult.WAS_LOST) {
        throw shared.lease.lostBeforeItsEnd();
      }
    }

    @Override
    public String toString() {
      return shared.lease.toString();
    }
  }
}
