package dev.holdfast.bench.leases;

import dev.holdfast.Holdfast;
import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseRequest;
import dev.holdfast.lease.Leases;
import dev.holdfast.lease.spi.LeaseStore;
import java.time.Duration;
import java.util.function.Supplier;

/** Holdfast by its defaults, on any store. */
final class HoldfastLocks implements Locks {
  private static final Duration DURATION = Duration.ofSeconds(30);
  private static final Duration WAIT = Duration.ofMinutes(1);

  private final Supplier<Leases> leases;

  private HoldfastLocks(Supplier<Leases> leases) {
    this.leases = leases;
  }

  /** All threads with the same leases, as within a process. */
  static HoldfastLocks together(Leases leases) {
    return new HoldfastLocks(() -> leases);
  }

  /** Each thread with leases of its own, as if it were a process of its own. */
  static HoldfastLocks apart(LeaseStore store) {
    return new HoldfastLocks(
        ThreadLocal.withInitial(
                () -> Holdfast.createLeases(store, Thread.currentThread().getName()))
            ::get);
  }

  @Override
  public void pair(String name) {
    leases.get().tryAcquire(name, DURATION).orElseThrow().close();
  }

  @Override
  public void wait(String name, Runnable inside) {
    try (Lease lease = leases.get().acquire(LeaseRequest.of(name, DURATION).waitTimeout(WAIT))) {
      lease.ensureValid(Duration.ZERO);
      inside.run();
    }
  }
}
