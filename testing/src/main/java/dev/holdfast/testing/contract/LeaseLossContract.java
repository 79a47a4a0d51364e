package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.Holdfast;
import dev.holdfast.LeaseLostException;
import dev.holdfast.StoreException;
import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseRequest;
import dev.holdfast.lease.Leases;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Leases that are lost, renewed or in doubt, on every store. */
public abstract class LeaseLossContract extends LeaseTests {
  private FaultyLeaseStore faulty;
  private Leases leases;
  private Leases elsewhere;

  @SuppressWarnings("NullAway.Init")
  protected LeaseLossContract(Supplier<LeaseStoreFixture> places) {
    super(places);
  }

  @BeforeEach
  void makeLeases() {
    faulty = new FaultyLeaseStore(store);
    leases = Holdfast.createLeases(faulty);
    elsewhere = Holdfast.createLeases(place.open());
  }

  private static void awaitPast(Duration time) {
    long end = System.nanoTime() + time.toNanos();
    await("time passes", () -> System.nanoTime() - end > 0);
  }

  @Test
  void aLeaseThatIsRenewedOutlivesItsDuration() {
    Lease lease = leases.acquire(LeaseRequest.of("x", Duration.ofSeconds(3)).autoRenew());
    awaitPast(Duration.ofMillis(4500));

    assertThat(lease.isValid()).isTrue();
    assertThat(elsewhere.tryAcquire("x", LONG)).isEmpty();
    assertThat(lease.release()).isEqualTo(Lease.ReleaseResult.RELEASED);
  }

  @Test
  void releaseEndsRenewalAndThread() {
    Set<Thread> before = threads();
    Lease lease = leases.acquire(LeaseRequest.of("x", Duration.ofSeconds(2)).autoRenew());
    await("it must be renewed", () -> faulty.renewals.get() > 1);
    lease.release();
    int renewals = faulty.renewals.get();

    await("the threads must end", () -> before.containsAll(threads()));
    assertThat(faulty.renewals.get()).isLessThanOrEqualTo(renewals + 1);
    assertThat(isFree(lease.key())).isTrue();
  }

  private static Set<Thread> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("holdfast-lease"))
        .collect(Collectors.toSet());
  }

  @Test
  void oneFailureDoesNotEndRenewals() {
    faulty.beforeRenewal =
        count -> {
          if (count == 1 || count == 3) {
            throw FaultyLeaseStore.lost();
          }
        };
    Lease lease = leases.acquire(LeaseRequest.of("x", Duration.ofSeconds(4)).autoRenew());
    await("it must be renewed", () -> faulty.renewals.get() > 5);

    assertThat(lease.isValid()).isTrue();
    lease.close();
  }

  /** The holder has the last quarter of its lease to end its work in. */
  @Test
  void warnsHolderWhenRenewalFails() throws Exception {
    faulty.beforeRenewal =
        count -> {
          throw FaultyLeaseStore.lost();
        };
    Duration duration = Duration.ofSeconds(8);
    Lease lease = leases.acquire(LeaseRequest.of("x", duration).autoRenew());
    CountDownLatch told = new CountDownLatch(1);
    List<Throwable> reasons = new CopyOnWriteArrayList<>();
    List<Duration> left = new CopyOnWriteArrayList<>();
    lease.onLost(
        loss -> {
          store
              .find(lease.key())
              .ifPresent(found -> found.holders().forEach(holder -> left.add(holder.remaining())));
          reasons.add(loss);
          told.countDown();
        });
    told.await();

    assertThat(left).as("in the store, where it began a little later").hasSize(1);
    assertThat(left.get(0)).isBetween(duration.dividedBy(8), duration.dividedBy(3));
    assertThat(reasons.get(0)).hasCauseInstanceOf(StoreException.class);
    assertThat(lease.isValid()).isFalse();
    assertThatThrownBy(() -> lease.ensureValid(Duration.ZERO))
        .isInstanceOf(LeaseLostException.class);
    assertThat(lease.release()).as("it was still its own").isEqualTo(Lease.ReleaseResult.RELEASED);
  }

  @Test
  void detectsRevocationWithinQuarter() throws Exception {
    Duration duration = Duration.ofSeconds(16);
    Lease lease = leases.acquire(LeaseRequest.of("x", duration).autoRenew());
    CountDownLatch told = new CountDownLatch(1);
    lease.onLost(loss -> told.countDown());
    elsewhere.forceRelease(lease.key());
    long taken = System.nanoTime();
    told.await();

    assertThat(Duration.ofNanos(System.nanoTime() - taken)).isLessThan(duration.dividedBy(4));
  }

  @Test
  void notifiesHolderWhileStoreHangs() throws Exception {
    CountDownLatch hang = new CountDownLatch(1);
    faulty.beforeRenewal =
        count -> {
          try {
            hang.await();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        };
    Lease lease = leases.acquire(LeaseRequest.of("x", Duration.ofMillis(800)).autoRenew());
    CountDownLatch told = new CountDownLatch(1);
    lease.onLost(loss -> told.countDown());

    told.await();

    hang.countDown();
    assertThat(lease.isValid()).isFalse();
  }

  @Test
  void notifiesHolderOfRevocation() throws Exception {
    Lease lease = leases.acquire(LeaseRequest.of("x", Duration.ofSeconds(5)).autoRenew());
    CountDownLatch told = new CountDownLatch(2);
    lease.onLost(loss -> told.countDown());
    elsewhere.forceRelease(lease.key());
    Lease thief = elsewhere.acquire("x", LONG);

    while (told.getCount() > 1) {
      assertThat(told.getCount()).isPositive();
      Thread.onSpinWait();
    }
    lease.onLost(loss -> told.countDown());
    told.await();

    assertThat(lease.release()).isEqualTo(Lease.ReleaseResult.LOST);
    assertThat(thief.isValid()).isTrue();
    thief.close();
  }

  @Test
  void notifiesHolderOfExpiry() throws Exception {
    Lease lease = leases.acquire("x", SHORT);
    CountDownLatch told = new CountDownLatch(1);
    lease.onLost(loss -> told.countDown());

    told.await();

    assertThat(lease.remaining()).isZero();
  }

  @Test
  void noLossNotificationAfterRelease() {
    AtomicBoolean told = new AtomicBoolean();
    Lease lease = leases.acquire("x", SHORT);
    lease.onLost(loss -> told.set(true));
    lease.release();
    awaitPast(SHORT.multipliedBy(2));

    assertThat(told).isFalse();
  }

  @Test
  void aLeaseThatRanOutHereIsNotRenewed() {
    Lease lease = leases.acquire("x", SHORT);
    awaitPast(SHORT);

    lease.renew();

    assertThat(faulty.renewals).hasValue(0);
    assertThat(lease.isValid()).isFalse();
    await("it must run out", () -> isFree(lease.key()));
  }

  @Test
  void releasesLateGrant() {
    faulty.afterAcquire =
        count -> {
          if (count == 1) {
            awaitPast(SHORT);
          }
        };
    assertThat(leases.tryAcquire("x", SHORT)).isEmpty();
    await("it must be free", () -> isFree(LeaseKey.exclusive("x")));
  }

  @Test
  void waiterGetsNewGrantAfterLateOne() {
    faulty.afterAcquire =
        count -> {
          if (count == 1) {
            awaitPast(SHORT);
          }
        };
    try (Lease lease =
        leases.acquire(LeaseRequest.of("x", Duration.ofMillis(240)).waitTimeout(LIMIT))) {
      assertThat(lease.token()).isPositive();
    } catch (LeaseLostException e) {
      // the machine was slow once more
      assertThat(e.subject()).isEqualTo("lease 'x'");
    }
    assertThat(faulty.acquires.get()).isGreaterThan(1);
  }

  @Test
  void anAnswerThatWasLostIsFoundOut() {
    faulty.afterAcquire =
        count -> {
          if (count % 2 == 1) {
            throw FaultyLeaseStore.lost();
          }
        };
    Lease lease = leases.tryAcquire("x", LONG).orElseThrow();
    Lease other = leases.acquire(LeaseRequest.of("y", LONG).waitTimeout(LIMIT));

    assertThat(elsewhere.tryAcquire("x", LONG)).isEmpty();
    assertThat(elsewhere.find(lease.key()).orElseThrow().token()).isEqualTo(lease.token());
    assertThat(other.isValid()).isTrue();
  }

  @Test
  void releasesUncertainGrant() {
    faulty.afterAcquire =
        count -> {
          throw FaultyLeaseStore.lost();
        };
    assertThatThrownBy(() -> leases.tryAcquire("x", LONG)).isInstanceOf(StoreException.class);
    assertThatThrownBy(
            () -> leases.acquire(LeaseRequest.of("y", LONG).waitTimeout(Duration.ofMillis(60))))
        .isInstanceOf(StoreException.class);

    await("x must be free", () -> isFree(LeaseKey.exclusive("x")));
    await("y must be free", () -> isFree(LeaseKey.exclusive("y")));
  }

  @Test
  void detectsReleaseAfterLostResponse() {
    faulty.afterRelease =
        count -> {
          if (count == 1) {
            throw FaultyLeaseStore.lost();
          }
        };
    Lease lease = leases.acquire("x", LONG);

    assertThat(lease.release()).isEqualTo(Lease.ReleaseResult.RELEASED);
  }

  @Test
  void aReleaseThatFailsSaysSo() {
    faulty.afterRelease =
        count -> {
          throw FaultyLeaseStore.lost();
        };
    Lease lease = leases.acquire(LeaseRequest.of("x", LONG).autoRenew());

    assertThatThrownBy(lease::release).isInstanceOf(StoreException.class);
    assertThat(lease.isValid()).isFalse();
  }

  @Test
  void detectsHandOverAfterLostResponse() throws Exception {
    faulty.afterRelease =
        count -> {
          if (count == 1) {
            throw FaultyLeaseStore.lost();
          }
        };
    Lease lease = leases.acquire("x", LONG);
    List<Lease> next = new CopyOnWriteArrayList<>();
    Thread waiter =
        new Thread(() -> next.add(leases.acquire(LeaseRequest.of("x", LONG).waitTimeout(LIMIT))));
    waiter.start();
    await(
        "it must be waited for", () -> !store.find(lease.key()).orElseThrow().waiters().isEmpty());

    assertThat(lease.release()).isEqualTo(Lease.ReleaseResult.RELEASED);
    waiter.join();

    assertThat(next.get(0).token()).isGreaterThan(lease.token());
    assertThat(elsewhere.tryAcquire("x", LONG)).isEmpty();
  }

  /** The one who was handed the lease has given up meanwhile: nobody has it. */
  @Test
  void releasesUncertainHandOverToLeaver() throws Exception {
    Lease lease = leases.acquire("x", LONG);
    Thread waiter =
        new Thread(
            () -> {
              Throwable unused =
                  catchThrowable(
                      () -> leases.acquire(LeaseRequest.of("x", LONG).waitTimeout(LIMIT)).close());
            });
    faulty.afterRelease =
        count -> {
          if (count == 1) {
            waiter.interrupt();
            await("it must give up", () -> !waiter.isAlive());
            throw FaultyLeaseStore.lost();
          }
        };
    waiter.start();
    await(
        "it must be waited for", () -> !store.find(lease.key()).orElseThrow().waiters().isEmpty());
    lease.release();

    await("it must be free", () -> isFree(lease.key()));
  }

  /** Its holder was told that it is lost while the renewal was on its way. */
  @Test
  void lateRenewalIsReleased() throws Exception {
    CountDownLatch lost = new CountDownLatch(1);
    faulty.beforeRenewal = count -> await("it must be lost", () -> lost.getCount() == 0);
    Lease lease = leases.acquire(LeaseRequest.of("x", Duration.ofSeconds(4)).autoRenew());
    lease.onLost(loss -> lost.countDown());

    await("it must be renewed nevertheless", () -> faulty.renewed.get() > 0);
    await("it must be released", () -> faulty.releases.get() > 0);
    await("it must be free", () -> isFree(lease.key()));
    assertThat(lease.isValid()).isFalse();
  }

  /** Its first try failed, so that only the second one could tell: and nobody may assume. */
  @Test
  void revokedLeaseIsLostAfterFailedRelease() {
    Lease lease = leases.acquire("x", LONG);
    elsewhere.forceRelease(lease.key());
    Lease thief = elsewhere.acquire("x", LONG);
    faulty.beforeRelease =
        count -> {
          if (count == 1) {
            throw FaultyLeaseStore.lost();
          }
        };

    assertThat(lease.release()).isEqualTo(Lease.ReleaseResult.LOST);
    assertThat(thief.release()).isEqualTo(Lease.ReleaseResult.RELEASED);
  }
}
