package dev.holdfast.internal.lease.engine;

import dev.holdfast.LeaseLostException;
import dev.holdfast.internal.Require;
import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseGroup;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseNotAcquiredException;
import dev.holdfast.lease.LeaseRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Several leases, acquired all or none, in the order of their keys. Leases that are already
 * acquired are renewed while the group waits for the next one.
 */
final class DefaultLeaseGroup implements LeaseGroup {
  private final List<Lease> leases;

  private DefaultLeaseGroup(List<Lease> leases) {
    this.leases = List.copyOf(leases);
  }

  /**
   * @throws LeaseNotAcquiredException with the request that was not granted
   */
  static LeaseGroup acquire(DefaultLeases leases, Collection<LeaseRequest> requests) {
    List<Lease> acquired = new ArrayList<>();
    LeaseRequest missing = acquire(leases, ordered(requests), /* waits= */ true, acquired);
    if (missing != null) {
      throw new LeaseNotAcquiredException(missing, Thread.currentThread().isInterrupted());
    }
    return new DefaultLeaseGroup(acquired);
  }

  static Optional<LeaseGroup> tryAcquire(DefaultLeases leases, Collection<LeaseRequest> requests) {
    List<Lease> acquired = new ArrayList<>();
    return acquire(leases, ordered(requests), /* waits= */ false, acquired) == null
        ? Optional.of(new DefaultLeaseGroup(acquired))
        : Optional.empty();
  }

  /** Returns the request that was not granted; null if all were granted. */
  private static @Nullable LeaseRequest acquire(
      DefaultLeases leases,
      Collection<LeaseRequest> requests,
      boolean waits,
      List<Lease> acquired) {
    long start = System.nanoTime();
    try {
      for (LeaseRequest request : requests) {
        Duration wait = waits ? waitLeft(request, start) : Duration.ZERO;
        Lease next = leases.acquire(request, wait, /* autoRenew= */ true);
        if (next == null) {
          releaseAll(acquired, null);
          return request;
        }
        acquired.add(next);
      }
      extendAll(acquired, requests);
      return null;
    } catch (RuntimeException | Error e) {
      releaseAll(acquired, e);
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
  private static void extendAll(List<Lease> acquired, Collection<LeaseRequest> requests) {
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

  private static void releaseAll(List<Lease> acquired, @Nullable Throwable reason) {
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

  @Override
  public List<Lease> leases() {
    return leases;
  }

  @Override
  public Lease get(String name) {
    return get(LeaseKey.exclusive(name));
  }

  @Override
  public Lease get(LeaseKey key) {
    for (Lease lease : leases) {
      if (lease.key().equals(key)) {
        return lease;
      }
    }
    Require.that(false, () -> "the lease " + key + " must be in the group, which has " + keys());
    throw new IllegalStateException();
  }

  private List<LeaseKey> keys() {
    return leases.stream().map(Lease::key).toList();
  }

  @Override
  public Duration remaining() {
    return Collections.min(leases.stream().map(Lease::remaining).toList());
  }

  @Override
  public void ensureValid(Duration margin) {
    leases.forEach(lease -> lease.ensureValid(margin));
  }

  @Override
  public void onLost(Consumer<LeaseLostException> action) {
    leases.forEach(lease -> lease.onLost(action));
  }

  @Override
  public Lease.ReleaseResult release() {
    Lease.ReleaseResult outcome = Lease.ReleaseResult.RELEASED;
    RuntimeException failure = null;
    for (Lease lease : backwards()) {
      try {
        if (lease.release() == Lease.ReleaseResult.LOST) {
          outcome = Lease.ReleaseResult.LOST;
        }
      } catch (RuntimeException e) {
        failure = combined(failure, e);
      }
    }
    if (failure != null) {
      throw failure;
    }
    return outcome;
  }

  @Override
  public void close() {
    RuntimeException failure = null;
    for (Lease lease : backwards()) {
      try {
        lease.close();
      } catch (RuntimeException e) {
        failure = combined(failure, e);
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private static RuntimeException combined(
      @Nullable RuntimeException first, RuntimeException later) {
    if (first == null) {
      return later;
    }
    first.addSuppressed(later);
    return first;
  }

  private List<Lease> backwards() {
    List<Lease> reversed = new ArrayList<>(leases);
    Collections.reverse(reversed);
    return reversed;
  }
}
