package dev.holdfast.lease;

import dev.holdfast.internal.Require;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Several leases that were acquired all or none, always in one order, so that two groups never wait
 * for each other. Thread-safe.
 */
public final class LeaseGroup implements AutoCloseable {
  private final List<Lease> leases;

  LeaseGroup(List<Lease> leases) {
    this.leases = List.copyOf(leases);
  }

  /** In the canonical order of their keys. */
  public List<Lease> leases() {
    return leases;
  }

  /**
   * The exclusive lease of this name.
   *
   * @throws dev.holdfast.InvalidArgumentException where there is none in this group
   */
  public Lease lease(String name) {
    return lease(LeaseKey.exclusive(name));
  }

  /**
   * The lease of this key.
   *
   * @throws dev.holdfast.InvalidArgumentException where there is none in this group
   */
  public Lease lease(LeaseKey key) {
    for (Lease lease : leases) {
      if (lease.key().equals(key)) {
        return lease;
      }
    }
    Require.that(
        false, () -> "the lease " + key + " must be one of the group, which has " + keys());
    throw new IllegalStateException();
  }

  private List<LeaseKey> keys() {
    return leases.stream().map(Lease::key).toList();
  }

  /** How long all of them are still held. */
  public Duration remaining() {
    Duration least = leases.get(0).remaining();
    for (Lease lease : leases) {
      Duration remaining = lease.remaining();
      least = remaining.compareTo(least) < 0 ? remaining : least;
    }
    return least;
  }

  /**
   * Makes sure that all of them are held for at least so long.
   *
   * @throws LeaseLostException where one is not
   */
  public void ensureValid(Duration margin) {
    leases.forEach(lease -> lease.ensureValid(margin));
  }

  /** Runs {@code action} for each of them that is lost; see {@link Lease#onLost}. */
  public void onLost(Consumer<LeaseLostException> action) {
    leases.forEach(lease -> lease.onLost(action));
  }

  /**
   * Releases all of them, the last one first, and answers whether all were held until now. Where
   * the store fails for one, the others are released nevertheless.
   */
  public ReleaseResult release() {
    ReleaseResult answer = ReleaseResult.RELEASED;
    RuntimeException failure = null;
    for (Lease lease : backwards()) {
      try {
        if (lease.release() == ReleaseResult.WAS_LOST) {
          answer = ReleaseResult.WAS_LOST;
        }
      } catch (RuntimeException e) {
        failure = joined(failure, e);
      }
    }
    if (failure != null) {
      throw failure;
    }
    return answer;
  }

  /**
   * Releases all of them.
   *
   * @throws LeaseLostException where one was lost before
   */
  @Override
  public void close() {
    RuntimeException failure = null;
    for (Lease lease : backwards()) {
      try {
        lease.close();
      } catch (RuntimeException e) {
        failure = joined(failure, e);
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private static RuntimeException joined(@Nullable RuntimeException first, RuntimeException later) {
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
