package dev.holdfast.testing.contract;

import dev.holdfast.Holdfast;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.Leases;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;

/** Two instances on one host, of which the store of the first can be made to fail. */
abstract class LeaseDefectTests extends LeaseTests {
  FaultyLeaseStore faulty;
  Leases leases;
  Leases elsewhere;

  @SuppressWarnings("NullAway.Init")
  LeaseDefectTests(Supplier<LeaseStoreFixture> places) {
    super(places);
  }

  @BeforeEach
  final void makeLeases() {
    faulty = new FaultyLeaseStore(store);
    leases = Holdfast.createLeases(faulty, "host");
    elsewhere = Holdfast.createLeases(place.open(), "host");
  }

  final void awaitFree(String name) {
    await(name + " must be free", () -> isFree(LeaseKey.exclusive(name)));
  }

  /** How many threads renew leases, of all instances here. */
  static long keepers() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("holdfast-lease-renewal"))
        .count();
  }

  static void awaitLatch(CountDownLatch latch) {
    await("a latch", () -> latch.getCount() == 0);
  }
}
