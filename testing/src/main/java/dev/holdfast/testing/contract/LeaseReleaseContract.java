package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.StoreException;
import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseNotAcquiredException;
import dev.holdfast.lease.LeaseRequest;
import dev.holdfast.testing.ConcurrentActors;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What cannot be given back at once is given back later, and holds up nobody. */
public abstract class LeaseReleaseContract extends LeaseDefectTests {
  protected LeaseReleaseContract(Supplier<LeaseStoreFixture> places) {
    super(places);
  }

  /** Pools refuse a connection to an interrupted thread: the lease would stay until its end. */
  @Test
  void anInterruptedHolderReleases() {
    faulty.beforeRelease =
        count -> {
          if (Thread.currentThread().isInterrupted()) {
            throw new StoreException("lease-store", "a step", "interrupted", true, null);
          }
        };
    Lease lease = leases.acquire("x", LONG);
    Thread.currentThread().interrupt();

    try {
      assertThat(lease.release()).isEqualTo(Lease.ReleaseResult.RELEASED);
    } finally {
      assertThat(Thread.interrupted()).as("it stays interrupted").isTrue();
    }
  }

  @Test
  void aReleaseThatFailsIsMadeUpFor() {
    faulty.beforeRelease =
        count -> {
          if (count <= 3) {
            throw FaultyLeaseStore.lost();
          }
        };
    Lease lease = leases.acquire("x", LONG);

    assertThatThrownBy(lease::release).isInstanceOf(StoreException.class);

    awaitFree("x");
  }

  /** Somebody's failed release must not keep another's lease from being renewed. */
  @Test
  void backgroundReleaseDoesNotBlockRenewal() {
    CountDownLatch over = new CountDownLatch(1);
    faulty.beforeRelease =
        count -> {
          if (count <= 2) {
            throw FaultyLeaseStore.lost();
          }
          awaitLatch(over);
        };
    Lease kept =
        leases.acquire(
            LeaseRequest.of("kept", Duration.ofSeconds(3)).autoRenew().waitTimeout(LIMIT));
    Lease failing = leases.acquire("failing", LONG);
    assertThatThrownBy(failing::release).isInstanceOf(StoreException.class);
    await("it must be under way", () -> faulty.releases.get() > 2);

    int before = faulty.renewed.get();
    await("it must be renewed", () -> faulty.renewed.get() >= before + 3);

    assertThat(kept.isValid()).isTrue();
    over.countDown();
    awaitFree("failing");
    kept.close();
  }

  /** Else those that it already has would be kept alive for as long as the process lives. */
  @Test
  void failedGroupAcquisitionReleasesAll() {
    faulty.beforeAcquire =
        count -> {
          if (count == 2) {
            throw new StackOverflowError("in the driver");
          }
        };

    assertThatThrownBy(() -> leases.acquireAll(requests(List.of("x", "y"), LONG, LIMIT)))
        .isInstanceOf(StackOverflowError.class);

    awaitFree("x");
  }

  private boolean isGrantedAfter(Lease before) {
    return store.find(before.key()).stream()
        .flatMap(record -> record.holders().stream())
        .anyMatch(holder -> holder.token() > before.token());
  }

  private static boolean sleeps(@Nullable Thread thread) {
    return thread != null && thread.getState() == Thread.State.TIMED_WAITING;
  }

  /** The store tells other processes only: here, whoever waits would sleep on for long. */
  @Test
  void backgroundReleaseNotifiesLocalWaiters() {
    Lease held = elsewhere.acquire("x", LONG);
    AtomicReference<Thread> first = new AtomicReference<>();
    AtomicReference<Thread> second = new AtomicReference<>();
    AtomicInteger answered = new AtomicInteger();
    AtomicInteger lost = new AtomicInteger();
    faulty.afterAcquire =
        count -> {
          int answers = answered.incrementAndGet();
          if (Thread.currentThread() == first.get() && lost.get() == 0 && isGrantedAfter(held)) {
            lost.set(answers);
            Thread.currentThread().interrupt();
            throw FaultyLeaseStore.lost();
          }
        };
    faulty.beforeRelease =
        count -> await("the second must have asked in vain", () -> answered.get() > lost.get());
    ConcurrentActors.run(
            LIMIT,
            3,
            index -> {
              if (index == 0) {
                first.set(Thread.currentThread());
                assertThatThrownBy(
                        () -> leases.acquire(LeaseRequest.of("x", LONG).waitTimeout(LIMIT)))
                    .isInstanceOf(LeaseNotAcquiredException.class);
                assertThat(Thread.interrupted()).isTrue();
              } else if (index == 1) {
                await("the first must ask for both", () -> answered.get() > 0);
                second.set(Thread.currentThread());
                // shorter than until it would look by itself
                leases
                    .acquire(LeaseRequest.of("x", LONG).waitTimeout(Duration.ofSeconds(12)))
                    .close();
              } else {
                await("the second must wait", () -> sleeps(second.get()));
                held.close();
              }
              return index;
            })
        .resultsOrThrow();
    assertThat(lost).as("the first was granted it, and did not know").hasPositiveValue();
  }
}
