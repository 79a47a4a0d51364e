package dev.holdfast.lease;

import dev.holdfast.LeaseLostException;
import dev.holdfast.internal.Require;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Several leases that were acquired all or none, in the order of their keys, so that two groups
 * never wait for each other. Thread-safe.
 */
public final class LeaseGroup implements AutoCloseable {
  private final List<Lease> leases;

  LeaseGroup(List<Lease> leases) {
    this.leases = List.copyOf(leases);
  }

  /** The leases in the order of their keys. */
  public List<Lease> leases() {
    return leases;
  }

  /**
   * The exclusive lease of this name.
   *
   * @throws dev.holdfast.InvalidArgumentException if the group does not have it
   */
  public Lease get(String name) {
    return get(LeaseKey.exclusive(name));
  }

  /**
   * The lease of this key.
   *
   * @throws dev.holdfast.InvalidArgumentException if the group does not have it
   */
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

  /** The remaining time of the lease that expires first. */
  public Duration remaining() {
    Duration shortest = leases.get(0).remaining();
    for (Lease lease : leases) {
      Duration remaining = lease.remaining();
      shortest = remaining.compareTo(shortest) < 0 ? remaining : shortest;
    }
    return shortest;
  }

  /**
   * Checks that all leases are held for at least this long.
   *
   * @throws LeaseLostException if one is not
   */
  public void ensureValid(Duration margin) {
    leases.forEach(lease -> lease.ensureValid(margin));
  }

  /** Runs {@code action} for each lease that is lost; see {@link Lease#onLost}. */
  public void onLost(Consumer<LeaseLostException> action) {
    leases.forEach(lease -> lease.onLost(action));
  }

  /**
   * Releases all leases, the last one first. Returns {@code LOST} if at least one was lost. If the
   * store fails for one lease, the others are released nevertheless.
   */
  public Lease.ReleaseResult release() {
    Lease.ReleaseResult answer = Lease.ReleaseResult.RELEASED;
    RuntimeException failure = null;
    for (Lease lease : backwards()) {
      try {
        if (lease.release() == Lease.ReleaseResult.LOST) {
          answer = Lease.ReleaseResult.LOST;
        }
      } catch (RuntimeException e) {
        failure = combined(failure, e);
      }
    }
    if (failure != null) {
      throw failure;
    }
    return answer;
  }

  /**
   * Releases all leases.
   *
   * @throws LeaseLostException if one was lost before
   */
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
    java.util.Collections.reverse(reversed);
    return reversed;
  }
}
