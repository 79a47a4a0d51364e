package dev.holdfast.internal.lease.engine;

import dev.holdfast.LeaseLostException;
import dev.holdfast.internal.Require;
import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseGroup;
import dev.holdfast.lease.LeaseKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Leases that {@link LeaseGroupAcquirer} has acquired together. */
final class DefaultLeaseGroup implements LeaseGroup {
  private final List<Lease> leases;

  DefaultLeaseGroup(List<Lease> leases) {
    this.leases = List.copyOf(leases);
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
