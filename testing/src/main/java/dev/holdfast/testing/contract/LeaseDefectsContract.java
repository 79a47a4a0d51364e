package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseLostException;
import dev.holdfast.lease.LeaseStore.Acquired;
import dev.holdfast.lease.LeaseStoreException;
import dev.holdfast.lease.LeaseTarget;
import dev.holdfast.lease.Leases;
import dev.holdfast.lease.ReleaseResult;
import dev.holdfast.lease.RenewResult;
import dev.holdfast.testing.Actors;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Defects that other libraries have or had, and these leases must not: each test names where it is
 * known from. The table of all of them is in {@code docs/design/lease-defects.md}.
 */
public abstract class LeaseDefectsContract extends LeaseTests {
  private FaultyLeaseStore faulty;
  private Leases leases;
  private Leases elsewhere;

  @SuppressWarnings("NullAway.Init")
  protected LeaseDefectsContract(Supplier<LeasePlace> places) {
    super(places);
  }

  @BeforeEach
  void makeLeases() {
    faulty = new FaultyLeaseStore(store);
    leases = Leases.on(faulty).named("host");
    elsewhere = Leases.on(place.open()).named("host");
  }

  private void awaitFree(String name) {
    await(name + " must be free", () -> isFree(LeaseKey.exclusive(name)));
  }

  private static void fail(int count) {
    throw FaultyLeaseStore.lost();
  }

  /** ShedLock's owner is the host (its #1986); JetCache and Spring Data Redis check no owner. */
  @Test
  void aReleaseNeverTouchesTheSuccessorOnTheSameHost() {
    for (Leases next : List.of(leases, elsewhere)) {
      Lease late = leases.acquire("x", SHORT);
      awaitFree("x");
      Lease successor = next.acquire("x", LONG);

      assertThat(late.release()).isEqualTo(ReleaseResult.WAS_LOST);
      assertThat(late.renew()).isEqualTo(RenewResult.LOST);
      assertThat(successor.renew()).as("it still has it").isEqualTo(RenewResult.RENEWED);
      assertThat(successor.release()).isEqualTo(ReleaseResult.RELEASED);
    }
  }

  /** redisson#7272, #1626: a renewal that was on its way came after the release, and went on. */
  @Test
  void aRenewalThatComesAfterTheReleaseBringsNothingBack() throws Exception {
    for (LeaseTarget target : List.of(LeaseTarget.exclusive("x"), LeaseTarget.read("x"))) {
      CountDownLatch onItsWay = new CountDownLatch(1);
      CountDownLatch go = new CountDownLatch(1);
      int before = faulty.renewals.get();
      long keepers = keepers();
      faulty.beforeRenewal =
          count -> {
            onItsWay.countDown();
            awaitLatch(go);
          };
      Lease lease = leases.renewing().acquire(target, Duration.ofSeconds(1), LIMIT);
      awaitLatch(onItsWay);

      assertThat(lease.release()).isEqualTo(ReleaseResult.RELEASED);
      go.countDown();
      await("it must arrive", () -> faulty.renewed.get() > before);

      assertThat(isFree(target.key())).isTrue();
      await("nobody renews any more", () -> keepers() <= keepers);
      assertThat(faulty.renewals.get()).as("no second one").isEqualTo(before + 1);
      elsewhere.acquire(target, LONG, LIMIT).close();
    }
  }

  private static long keepers() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("holdfast-lease-keeper"))
        .count();
  }

  private static void awaitLatch(CountDownLatch latch) {
    await("a latch", () -> latch.getCount() == 0);
  }

  /** redisson#7251: a read lock that was entered twice was renewed for ever. */
  @Test
  void whatWasEnteredSeveralTimesIsNotRenewedAfterItsLastEnd() {
    Leases reentrant = leases.renewing().reentrant();
    Duration brief = Duration.ofMillis(500);
    List<Lease> entered =
        Stream.generate(() -> reentrant.acquire(LeaseTarget.read("x"), brief, LIMIT))
            .limit(3)
            .toList();
    await("it must be renewed", () -> faulty.renewals.get() > 0);
    entered.forEach(Lease::close);
    int renewals = faulty.renewals.get();

    Lease probe = leases.renewing().acquire("y", brief);
    await("others are renewed", () -> faulty.renewals.get() > renewals + 3);
    probe.close();
    assertThat(isFree(LeaseKey.readWrite("x"))).isTrue();
    assertThat(elsewhere.tryAcquire(LeaseTarget.write("x"), LONG)).isPresent();
  }

  /** ShedLock's KeepAliveLockProvider: one run that throws ends all later ones, silently. */
  @Test
  void aRenewalThatFailsInAnyWayIsTriedAgain() {
    faulty.beforeRenewal =
        count -> {
          if (count == 1) {
            throw new NoClassDefFoundError("only once");
          } else if (count == 2) {
            throw new IllegalStateException("not one of ours");
          } else if (count == 3) {
            throw FaultyLeaseStore.lost();
          }
        };
    Lease lease = leases.renewing().acquire("x", Duration.ofSeconds(3));

    await("it must be renewed", () -> faulty.renewals.get() > 4);

    assertThat(lease.isValid()).isTrue();
    assertThat(lease.release()).isEqualTo(ReleaseResult.RELEASED);
  }

  /** redisson#5698, #1604: of many locks some were not renewed in time, such as read locks. */
  @Test
  void ofManyLeasesEachIsKeptAlive() {
    Duration brief = Duration.ofSeconds(2);
    List<Lease> all =
        IntStream.range(0, 12)
            .mapToObj(
                i ->
                    leases
                        .renewing()
                        .acquire(
                            i % 3 == 0
                                ? LeaseTarget.read("r")
                                : i % 3 == 1
                                    ? LeaseTarget.permit("p", 10)
                                    : LeaseTarget.exclusive("e" + i),
                            brief,
                            LIMIT))
            .toList();
    long end = System.nanoTime() + brief.toNanos() * 3 / 2;
    await("time passes", () -> System.nanoTime() - end > 0);

    assertThat(all).allSatisfy(lease -> assertThat(lease.isValid()).isTrue());
    assertThat(all)
        .allSatisfy(lease -> assertThat(lease.release()).isEqualTo(ReleaseResult.RELEASED));
  }

  /** redisson#4368, spring-integration#11049: the thread was interrupted, its lock stayed. */
  @Test
  void workThatIsInterruptedGivesItsLeaseBack() {
    Thread.currentThread().interrupt();
    try {
      assertThatThrownBy(
              () ->
                  leases
                      .renewing()
                      .withLease("x", Duration.ofSeconds(1), Duration.ZERO, lease -> sleepLong()))
          .isInstanceOf(InterruptedException.class);
      Thread.currentThread().interrupt();
      Lease lease = leases.tryAcquire("x", LONG).orElseThrow();
      assertThat(lease.renew()).isEqualTo(RenewResult.RENEWED);
      assertThat(lease.release()).isEqualTo(ReleaseResult.RELEASED);
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

  /** spring-integration#1888, #2660, curator#1193: after a release that failed, never again. */
  @Test
  void aReleaseThatFailedBarsNobodyLongerThanTheLease() {
    for (Leases way : List.of(leases, leases.renewing(), leases.reentrant())) {
      faulty.beforeRelease = LeaseDefectsContract::fail;
      Lease lease = way.acquire("x", Duration.ofMillis(500));
      assertThatThrownBy(lease::close).isInstanceOf(LeaseStoreException.class);
      assertThatThrownBy(lease::release).isInstanceOf(LeaseStoreException.class);
      faulty.beforeRelease = count -> {};

      Lease next = way.acquire("x", LONG, LIMIT);
      assertThat(next.token()).isGreaterThan(lease.token());
      assertThat(lease.release()).isEqualTo(ReleaseResult.WAS_LOST);
      assertThat(next.release()).isEqualTo(ReleaseResult.RELEASED);
    }
  }

  /** As before, where the holder just forgot it: the threads of a pool go on. */
  @Test
  void aLeaseThatWasForgottenIsToldOnceAndBarsNobodyAfterItsEnd() {
    Leases reentrant = leases.reentrant();
    Lease forgotten = reentrant.acquire("x", SHORT);
    await("it must run out", () -> !forgotten.isValid());

    assertThatThrownBy(() -> reentrant.acquire("x", LONG)).isInstanceOf(LeaseLostException.class);
    awaitFree("x");
    try (Lease next = reentrant.acquire("x", LONG)) {
      assertThat(next.token()).isGreaterThan(forgotten.token());
      assertThat(forgotten.release()).isEqualTo(ReleaseResult.WAS_LOST);
      assertThat(next.isValid()).isTrue();
      try (Lease inner = reentrant.acquire("x", LONG)) {
        assertThat(inner.token()).as("still entered").isEqualTo(next.token());
      }
    }
  }

  /** Two entries that two threads end in the same moment: one of them must be the last. */
  @Test
  void anEntryThatTwoThreadsEndAtOnceIsReleased() {
    CyclicBarrier together = new CyclicBarrier(2);
    AtomicInteger arrived = new AtomicInteger();
    AtomicReference<List<Lease>> entered = new AtomicReference<>(List.of());
    Actors.run(
            2,
            index -> {
              for (int round = 0; round < 60; round++) {
                if (index == 0) {
                  Leases reentrant = leases.reentrant();
                  entered.set(List.of(reentrant.acquire("x", LONG), reentrant.acquire("x", LONG)));
                }
                together.await(10, TimeUnit.SECONDS);
                arrived.incrementAndGet();
                int all = 2 * (round + 1);
                while (arrived.get() < all) {
                  Thread.onSpinWait();
                }
                assertThat(entered.get().get(index).release()).isEqualTo(ReleaseResult.RELEASED);
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
  void aGroupThatIsNotToBeRenewedRunsOut() {
    for (Leases way : List.of(leases, leases.reentrant())) {
      way.acquireAll(List.of("a", "b"), SHORT, LIMIT);

      awaitFree("a");
      awaitFree("b");
    }
  }

  /** redisson#6662, #5605, #2665, locksmith#22: "not locked by current thread". */
  @Test
  void anyThreadMayRenewAndRelease() {
    for (Leases way : List.of(leases, leases.renewing(), leases.reentrant())) {
      Lease lease = way.acquire("x", LONG);
      assertThat(
              Actors.run(1, index -> lease.renew() + " " + lease.isValid() + " " + lease.release())
                  .resultsOrThrow())
          .containsExactly("RENEWED true RELEASED");
      assertThat(isFree(lease.key())).isTrue();
    }
  }

  /** redisson#5033, #5221: the next task on a pooled thread "had" the lock of the one before. */
  @Test
  void aTaskOnTheSameThreadDoesNotHaveTheLeaseOfTheOneBefore() throws Exception {
    ExecutorService pool = Executors.newSingleThreadExecutor();
    try {
      Lease first = pool.submit(() -> leases.acquire("x", LONG)).get();
      assertThat(pool.submit(() -> leases.tryAcquire("x", LONG)).get()).isEmpty();
      assertThat(pool.submit(() -> leases.renewing().tryAcquire("x", LONG)).get()).isEmpty();
      first.close();
      assertThat(pool.submit(() -> leases.tryAcquire("x", LONG)).get()).isPresent();
    } finally {
      pool.shutdown();
    }
  }

  /** Redisson's lockAndGetToken(lease) ignores its lease; others are renewed without one only. */
  @Test
  void everyWayToAcquireKeepsToTheDurationItWasGiven() throws Exception {
    List<Callable<Lease>> ways = new ArrayList<>();
    for (Leases way : List.of(leases, leases.fair(), leases.reentrant(), leases.renewing())) {
      ways.add(() -> way.tryAcquire("x", LONG).orElseThrow());
      ways.add(() -> way.acquire("x", LONG));
      ways.add(() -> way.acquire("x", LONG, LIMIT));
      ways.add(() -> way.acquireAll(List.of("x"), LONG, LIMIT).lease("x"));
      ways.add(() -> way.acquire(LeaseTarget.read("x"), LONG, LIMIT));
      ways.add(() -> way.acquire(LeaseTarget.permit("x", 2), LONG, LIMIT));
    }
    for (Callable<Lease> way : ways) {
      Lease lease = way.call();
      assertThat(lease.remaining()).isBetween(LONG.minusMinutes(1), LONG);
      assertThat(store.find(lease.key()).orElseThrow().holders())
          .singleElement()
          .satisfies(
              holder -> assertThat(holder.remaining()).isBetween(LONG.minusMinutes(1), LONG));
      lease.close();
    }
  }

  /** redisson#4064, #2575, #5046, #3577, #6328: one subscription per name exhausts its pool. */
  @Test
  void manyNamesAreWaitedForWithOneSubscription() {
    int names = 12;
    List<Lease> held =
        IntStream.range(0, names).mapToObj(i -> elsewhere.acquire("x" + i, LONG)).toList();
    List<Callable<Long>> actors = new ArrayList<>();
    for (int i = 0; i < names; i++) {
      String name = "x" + i;
      actors.add(
          () -> {
            try (Lease lease = leases.acquire(name, LONG, LIMIT)) {
              return lease.token();
            }
          });
    }
    actors.add(
        () -> {
          await(
              "all must wait",
              () ->
                  held.stream()
                      .noneMatch(
                          lease -> store.find(lease.key()).orElseThrow().waiters().isEmpty()));
          held.forEach(Lease::close);
          return 0L;
        });
    Actors.run(actors).resultsOrThrow();

    assertThat(faulty.subscriptions).hasValue(1);
  }

  /** Spring Integration's JdbcLock: a hot loop without an end while the database fails. */
  @Test
  void whileTheStoreFailsItIsAskedSeldomAndNotPastTheWait() {
    faulty.beforeAcquire = LeaseDefectsContract::fail;
    for (Leases way : List.of(leases, leases.fair())) {
      int before = faulty.acquires.get();
      assertThatThrownBy(() -> way.acquire("x", LONG, Duration.ofMillis(400)))
          .isInstanceOf(LeaseStoreException.class);
      assertThat(faulty.acquires.get() - before).isBetween(2, 100);
    }
    faulty.beforeAcquire = count -> {};
    await("nothing is left behind", () -> leases.tryAcquire("x", LONG).isPresent());
  }

  /** ShedLock#27, #1574: it remembered which rows exist, and never made a deleted one again. */
  @Test
  void aNameWhoseRecordWasDeletedIsAcquiredAnew() {
    Lease lost = leases.acquire("x", LONG);
    Lease shared = leases.acquire(LeaseTarget.read("x"), LONG, LIMIT);
    place.loseEverything();

    assertThat(lost.renew()).isEqualTo(RenewResult.LOST);
    assertThat(lost.release()).isEqualTo(ReleaseResult.WAS_LOST);
    assertThat(shared.release()).isEqualTo(ReleaseResult.WAS_LOST);
    assertThat(leases.acquire("x", LONG).token()).isGreaterThan(lost.token());
    assertThat(leases.acquire(LeaseTarget.write("x"), LONG, LIMIT).token())
        .isGreaterThan(shared.token());
  }

  /** ShedLock#147, #1094; spring-integration#2467, #3294, #3445, #3567, #3733: deadlocks. */
  @Test
  void ofManyWhoMeetOnANewNameNobodySeesADeadlock() {
    for (int round = 0; round < 3; round++) {
      String name = "x" + round;
      List<LeaseTarget> targets =
          List.of(
              LeaseTarget.exclusive(name), LeaseTarget.permit(name, 2), LeaseTarget.write(name));
      List<Integer> granted =
          Actors.run(
                  9,
                  index -> {
                    int mine = 0;
                    for (int i = 0; i < targets.size(); i++) {
                      LeaseTarget target = targets.get((i + index) % targets.size());
                      boolean had =
                          store.acquire(request(target, "a#" + index, LONG))
                              instanceof Acquired.Granted;
                      mine += had ? 1 : 0;
                    }
                    return mine;
                  })
              .resultsOrThrow();
      assertThat(granted.stream().mapToInt(Integer::intValue).sum()).isEqualTo(1 + 2 + 1);
    }
  }
}
