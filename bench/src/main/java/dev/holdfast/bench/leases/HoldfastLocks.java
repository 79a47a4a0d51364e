package dev.holdfast.bench.leases;

import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseStore;
import dev.holdfast.lease.Leases;
import java.time.Duration;

/** Holdfast by its defaults, on any store. */
final class HoldfastLocks implements Locks {
  private static final Duration DURATION = Duration.ofSeconds(30);
  private static final Duration WAIT = Duration.ofMinutes(1);

  private final Leases leases;

  HoldfastLocks(Leases leases) {
    this.leases = leases;
  }

  static HoldfastLocks on(LeaseStore store) {
    return new HoldfastLocks(Leases.on(store));
  }

  @Override
  public void pair(String name) {
    leases.tryAcquire(name, DURATION).orElseThrow().close();
  }

  @Override
  public void wait(String name) {
    try (Lease lease = leases.acquire(name, DURATION, WAIT)) {
      lease.ensureValid(Duration.ZERO);
    }
  }
}
