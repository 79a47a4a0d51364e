package dev.holdfast.lease;

import dev.holdfast.internal.Require;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Lets a thread have a lease again that it has, with the same token: only where asked for. */
final class Reentry {
  private final ThreadLocal<Map<LeaseKey, Shared>> held = ThreadLocal.withInitial(HashMap::new);

  /** A lease, and how many times it is held. */
  private record Shared(DefaultLease lease, AtomicInteger times) {}

  /** Null where this thread does not have it. */
  @Nullable Lease enter(LeaseTarget target, Duration duration) {
    Shared shared = held.get().get(target.key());
    if (shared == null || shared.times.get() == 0) {
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
    shared.lease.ensureValid(Duration.ZERO);
    shared.times.incrementAndGet();
    return new Entered(shared, held.get());
  }

  Lease first(DefaultLease lease) {
    Shared shared = new Shared(lease, new AtomicInteger(1));
    held.get().put(lease.key(), shared);
    return new Entered(shared, held.get());
  }

  /** One of several times that a lease is held; the last one to end releases it. */
  private static final class Entered implements Lease {
    private final Shared shared;
    private final Map<LeaseKey, Shared> home;
    private final Thread thread = Thread.currentThread();
    private volatile @Nullable ReleaseResult result;

    Entered(Shared shared, Map<LeaseKey, Shared> home) {
      this.shared = shared;
      this.home = home;
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
    public synchronized ReleaseResult release() {
      ReleaseResult known = result;
      if (known != null) {
        return known;
      }
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
      result = answer;
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
