package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.LeaseLostException;
import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseRequest;
import dev.holdfast.testing.ConcurrentActors;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Threads and leases: defects that others have because a lock of theirs belongs to a thread, and
 * those of leases that are entered again. The table is in {@code docs/design/lease-defects.md}.
 */
public abstract class LeaseThreadsContract extends LeaseDefectTests {
  protected LeaseThreadsContract(Supplier<LeaseStoreFixture> places) {
    super(places);
  }

  /** redisson#7251: a read lock that was entered twice was renewed for ever. */
  @Test
  void reentrantLeaseIsNotRenewedAfterEnd() {
    long before = keepers();
    Duration brief = Duration.ofSeconds(2);
    LeaseRequest request = LeaseRequest.read("x", brief).autoRenew().reentrant();
    List<Lease> entered = Stream.generate(() -> leases.acquire(request)).limit(3).toList();
    await("it must be renewed", () -> faulty.renewals.get() > 0);
    entered.forEach(Lease::close);
    await("nobody renews any more", () -> keepers() <= before);
    assertThat(isFree(LeaseKey.readWrite("x"))).isTrue();
    assertThat(elsewhere.tryAcquire(LeaseRequest.write("x", LONG))).isPresent();
  }

  /** redisson#4368, spring-integration#11049: the thread was interrupted, its lock stayed. */
  @Test
  void workThatIsInterruptedGivesItsLeaseBack() {
    Thread.currentThread().interrupt();
    try {
      assertThatThrownBy(
              () ->
                  leases.call(
                      LeaseRequest.of("x", Duration.ofSeconds(1))
                          .autoRenew()
                          .waitTimeout(Duration.ZERO),
                      lease -> sleepLong()))
          .isInstanceOf(InterruptedException.class);
      Thread.currentThread().interrupt();
      Lease lease = leases.tryAcquire("x", LONG).orElseThrow();
      assertThat(lease.renew()).isEqualTo(Lease.RenewResult.RENEWED);
      assertThat(lease.release()).isEqualTo(Lease.ReleaseResult.RELEASED);
      assertThat(Thread.currentThread().isInterrupted()).isTrue();
    } finally {
      Thread.interrupted();
    }
    assertThat(elsewhere.tryAcquire("x", LONG)).isPresent();
  }

  private static int sleepLong() throws InterruptedException {
    new CountDownLatch(1).await();
    return 1;
  }

  /** As before, where the holder just forgot it: the threads of a pool go on. */
  @Test
  void warnsOnceOfLeakedLease() {
    LeaseRequest request = LeaseRequest.of("x", LONG).reentrant();
    Lease forgotten = leases.acquire(LeaseRequest.of("x", SHORT).reentrant());
    await("it must run out", () -> !forgotten.isValid());

    assertThatThrownBy(() -> leases.acquire(request)).isInstanceOf(LeaseLostException.class);
    awaitFree("x");
    try (Lease next = leases.acquire(request)) {
      assertThat(next.token()).isGreaterThan(forgotten.token());
      assertThat(forgotten.release()).isEqualTo(Lease.ReleaseResult.LOST);
      assertThat(next.isValid()).isTrue();
      try (Lease inner = leases.acquire(request)) {
        assertThat(inner.token()).as("still entered").isEqualTo(next.token());
      }
    }
  }

  /** Two entries that two threads end in the same moment: one of them must be the last. */
  @Test
  void concurrentlyEndedEntryIsReleased() {
    CyclicBarrier together = new CyclicBarrier(2);
    AtomicInteger arrived = new AtomicInteger();
    AtomicReference<List<Lease>> entered = new AtomicReference<>(List.of());
    ConcurrentActors.run(
            2,
            index -> {
              for (int round = 0; round < 60; round++) {
                if (index == 0) {
                  LeaseRequest request = LeaseRequest.of("x", LONG).reentrant();
                  entered.set(List.of(leases.acquire(request), leases.acquire(request)));
                }
                together.await(10, TimeUnit.SECONDS);
                arrived.incrementAndGet();
                int all = 2 * (round + 1);
                while (arrived.get() < all) {
                  Thread.onSpinWait();
                }
                assertThat(entered.get().get(index).release())
                    .isEqualTo(Lease.ReleaseResult.RELEASED);
                together.await(10, TimeUnit.SECONDS);
                if (index == 0) {
                  assertThat(isFree(LeaseKey.exclusive("x"))).as("round %s", round).isTrue();
                }
              }
              return index;
            })
        .resultsOrThrow();
  }

  /** Redisson's MultiLock: of what a group keeps alive, nothing is renewed that was not asked. */
  @Test
  void groupWithoutRenewalExpires() {
    for (UnaryOperator<LeaseRequest> way : ways(request -> request, LeaseRequest::reentrant)) {
      leases.acquireAll(requests(List.of("a", "b"), SHORT, LIMIT).stream().map(way).toList());

      awaitFree("a");
      awaitFree("b");
    }
  }

  /** redisson#6662, #5605, #2665, locksmith#22: "not locked by current thread". */
  @Test
  void anyThreadMayRenewAndRelease() {
    for (UnaryOperator<LeaseRequest> way :
        ways(request -> request, LeaseRequest::autoRenew, LeaseRequest::reentrant)) {
      Lease lease = leases.acquire(way.apply(LeaseRequest.of("x", LONG)));
      assertThat(
              ConcurrentActors.run(
                      1, index -> lease.renew() + " " + lease.isValid() + " " + lease.release())
                  .resultsOrThrow())
          .containsExactly("RENEWED true RELEASED");
      assertThat(isFree(lease.key())).isTrue();
    }
  }

  /** redisson#5033, #5221: the next task on a pooled thread "had" the lock of the one before. */
  @Test
  void nextTaskOnThreadHasNoLease() throws Exception {
    ExecutorService pool = Executors.newSingleThreadExecutor();
    try {
      Lease first = pool.submit(() -> leases.acquire("x", LONG)).get();
      assertThat(pool.submit(() -> leases.tryAcquire("x", LONG)).get()).isEmpty();
      assertThat(pool.submit(() -> leases.tryAcquire(LeaseRequest.of("x", LONG).autoRenew())).get())
          .isEmpty();
      first.close();
      assertThat(pool.submit(() -> leases.tryAcquire("x", LONG)).get()).isPresent();
    } finally {
      pool.shutdown();
    }
  }
}
