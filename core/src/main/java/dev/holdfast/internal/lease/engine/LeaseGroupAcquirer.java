package dev.holdfast.internal.lease.engine;

import dev.holdfast.internal.Require;
import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseGroup;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseNotAcquiredException;
import dev.holdfast.lease.LeaseRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Acquires several leases, all or none, in the order of their keys. Leases that are already
 * acquired are renewed while it waits for the next one.
 */
final class LeaseGroupAcquirer {
  private final LeaseEngine engine;
  private final List<Lease> acquired = new ArrayList<>();

  LeaseGroupAcquirer(LeaseEngine engine) {
    this.engine = engine;
  }

  /**
   * @throws LeaseNotAcquiredException with the request that was not granted
   */
  LeaseGroup acquire(Collection<LeaseRequest> requests) {
    Collection<LeaseRequest> ordered = ordered(requests);
    LeaseRequest missing = acquire(ordered, true);
    if (missing != null) {
      throw new LeaseNotAcquiredException(missing, Thread.currentThread().isInterrupted());
    }
    return new DefaultLeaseGroup(acquired);
  }

  Optional<LeaseGroup> tryAcquire(Collection<LeaseRequest> requests) {
    return acquire(ordered(requests), false) == null
        ? Optional.of(new DefaultLeaseGroup(acquired))
        : Optional.empty();
  }

  /** Returns the request that was not granted; null if all were granted. */
  private @Nullable LeaseRequest acquire(Collection<LeaseRequest> requests, boolean waits) {
    long start = System.nanoTime();
    try {
      for (LeaseRequest request : requests) {
        Duration wait = waits ? waitLeft(request, start) : Duration.ZERO;
        Lease next = engine.acquire(request, wait, /* autoRenew= */ true);
        if (next == null) {
          releaseAll(null);
          return request;
        }
        acquired.add(next);
      }
      extendAll(requests);
      return null;
    } catch (RuntimeException | Error e) {
      releaseAll(e);
      throw e;
    }
  }

  /** A request with a wait timeout of zero does not wait; others wait for what is left. */
  private static Duration waitLeft(LeaseRequest request, long start) {
    long left = start + request.waitTimeout().toNanos() - System.nanoTime();
    return request.waitTimeout().isZero() ? Duration.ZERO : Duration.ofNanos(Math.max(0, left));
  }

  private static Collection<LeaseRequest> ordered(Collection<LeaseRequest> requests) {
    TreeMap<LeaseKey, LeaseRequest> ordered = new TreeMap<>();
    for (LeaseRequest request : Require.notNull(requests, "the requests of a lease group")) {
      LeaseRequest other =
          ordered.put(Require.notNull(request, "a request of a lease group").key(), request);
      Require.that(
          other == null || other.equals(request),
          () -> "a lease group must request " + request.key() + " once, had two requests for it");
    }
    Require.that(!ordered.isEmpty(), "a lease group must have at least one request, had none");
    return ordered.values();
  }

  /** Gives each lease its requested duration from the moment that the last one was granted. */
  private void extendAll(Collection<LeaseRequest> requests) {
    int index = 0;
    for (LeaseRequest request : requests) {
      Lease lease = acquired.get(index++);
      DefaultLease own = ReentrantLeases.own(lease);
      if (!request.isAutoRenew() && own != null) {
        own.stopRenewing();
      }
      if (lease.remaining().compareTo(request.duration().dividedBy(2)) < 0) {
        lease.renew();
      }
      lease.ensureValid(Duration.ZERO);
    }
  }

  private void releaseAll(@Nullable Throwable reason) {
    for (Lease lease : acquired) {
      try {
        lease.release();
      } catch (RuntimeException | Error e) {
        if (reason != null) {
          reason.addSuppressed(e);
        }
      }
    }
  }
}
