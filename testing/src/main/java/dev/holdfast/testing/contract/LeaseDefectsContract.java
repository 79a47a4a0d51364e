package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.StoreException;
import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseRequest;
import dev.holdfast.lease.LeaseRequest.Target;
import dev.holdfast.lease.Leases;
import dev.holdfast.lease.spi.LeaseStore.AcquireResult;
import dev.holdfast.testing.ConcurrentActors;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Defects that other libraries have or had, and these leases must not: each test names where it is
 * known from. The table of all of them is in {@code docs/design/lease-defects.md}.
 */
public abstract class LeaseDefectsContract extends LeaseDefectTests {
  protected LeaseDefectsContract(Supplier<LeaseStoreFixture> places) {
    super(places);
  }

  private static void fail(int count) {
    throw FaultyLeaseStore.lost();
  }

  /** ShedLock's owner is the host (its #1986); JetCache and Spring Data Redis check no owner. */
  @Test
  void releaseLeavesLocalSuccessor() {
    for (Leases next : List.of(leases, elsewhere)) {
      Lease late = leases.acquire("x", SHORT);
      awaitFree("x");
      Lease successor = next.acquire("x", LONG);

      assertThat(late.release()).isEqualTo(Lease.ReleaseResult.LOST);
      assertThat(late.renew()).isEqualTo(Lease.RenewResult.LOST);
      assertThat(successor.renew()).as("it still has it").isEqualTo(Lease.RenewResult.RENEWED);
      assertThat(successor.release()).isEqualTo(Lease.ReleaseResult.RELEASED);
    }
  }

  /** redisson#7272, #1626: a renewal that was on its way came after the release, and went on. */
  @Test
  void renewalAfterReleaseHasNoEffect() throws Exception {
    for (Target target : List.of(Target.exclusive("x"), Target.read("x"))) {
      CountDownLatch onItsWay = new CountDownLatch(1);
      CountDownLatch go = new CountDownLatch(1);
      int before = faulty.renewals.get();
      long keepers = keepers();
      faulty.beforeRenewal =
          count -> {
            onItsWay.countDown();
            awaitLatch(go);
          };
      Lease lease =
          leases.acquire(lease(target, Duration.ofSeconds(3)).autoRenew().waitTimeout(LIMIT));
      awaitLatch(onItsWay);

      assertThat(lease.release()).isEqualTo(Lease.ReleaseResult.RELEASED);
      go.countDown();
      await("it must arrive", () -> faulty.renewed.get() > before);

      assertThat(isFree(target.key())).isTrue();
      await("nobody renews any more", () -> keepers() <= keepers);
      assertThat(faulty.renewals.get()).as("no second one").isEqualTo(before + 1);
      elsewhere.acquire(lease(target, LONG).waitTimeout(LIMIT)).close();
    }
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
    Lease lease = leases.acquire(LeaseRequest.of("x", Duration.ofSeconds(6)).autoRenew());

    await("it must be renewed", () -> faulty.renewals.get() > 4);

    assertThat(lease.isValid()).isTrue();
    assertThat(lease.release()).isEqualTo(Lease.ReleaseResult.RELEASED);
  }

  /** redisson#5698, #1604: of many locks some were not renewed in time, such as read locks. */
  @Test
  void ofManyLeasesEachIsKeptAlive() {
    Duration brief = Duration.ofSeconds(4);
    List<Lease> all =
        IntStream.range(0, 12)
            .mapToObj(
                i ->
                    leases.acquire(
                        (i % 3 == 0
                                ? LeaseRequest.read("r", brief)
                                : i % 3 == 1
                                    ? LeaseRequest.permits("p", 1, 10, brief)
                                    : LeaseRequest.of("e" + i, brief))
                            .autoRenew()
                            .waitTimeout(LIMIT)))
            .toList();
    long end = System.nanoTime() + brief.toNanos() * 3 / 2;
    await("time passes", () -> System.nanoTime() - end > 0);

    assertThat(all).allSatisfy(lease -> assertThat(lease.isValid()).isTrue());
    assertThat(all)
        .allSatisfy(lease -> assertThat(lease.release()).isEqualTo(Lease.ReleaseResult.RELEASED));
  }

  /** A node of a cluster hangs, or the row of one lease is locked: the others are renewed. */
  @Test
  void hangingRenewalsDoNotBlockOthers() {
    CountDownLatch go = new CountDownLatch(1);
    faulty.beforeRenewalOf =
        hold -> {
          if (hold.key().name().startsWith("hangs")) {
            awaitLatch(go);
          }
        };
    Duration brief = Duration.ofSeconds(4);
    for (int i = 0; i < 4; i++) {
      leases.acquire(LeaseRequest.of("hangs" + i, brief).autoRenew());
    }
    Lease healthy = leases.acquire(LeaseRequest.of("healthy", brief).autoRenew());
    long end = System.nanoTime() + brief.toNanos() * 3 / 2;
    await("time passes", () -> System.nanoTime() - end > 0);

    assertThat(healthy.isValid()).isTrue();
    assertThat(elsewhere.tryAcquire("healthy", LONG)).isEmpty();
    go.countDown();
    assertThat(healthy.release()).isEqualTo(Lease.ReleaseResult.RELEASED);
  }

  /** spring-integration#1888, #2660, curator#1193: after a release that failed, never again. */
  @Test
  void failedReleaseBlocksUntilExpiry() {
    for (UnaryOperator<LeaseRequest> way :
        ways(request -> request, LeaseRequest::autoRenew, LeaseRequest::reentrant)) {
      faulty.beforeRelease = LeaseDefectsContract::fail;
      Lease lease = leases.acquire(way.apply(LeaseRequest.of("x", Duration.ofSeconds(1))));
      assertThatThrownBy(lease::close).isInstanceOf(StoreException.class);
      assertThatThrownBy(lease::release).isInstanceOf(StoreException.class);
      faulty.beforeRelease = count -> {};

      Lease next = leases.acquire(way.apply(LeaseRequest.of("x", LONG).waitTimeout(LIMIT)));
      assertThat(next.token()).isGreaterThan(lease.token());
      assertThat(lease.release()).isEqualTo(Lease.ReleaseResult.LOST);
      assertThat(next.release()).isEqualTo(Lease.ReleaseResult.RELEASED);
    }
  }

  /** Redisson's lockAndGetToken(lease) ignores its lease; others are renewed without one only. */
  @Test
  void everyAcquireKeepsItsDuration() throws Exception {
    List<Callable<Lease>> ways = new ArrayList<>();
    for (UnaryOperator<LeaseRequest> way :
        ways(
            request -> request,
            LeaseRequest::fair,
            LeaseRequest::reentrant,
            LeaseRequest::autoRenew)) {
      LeaseRequest request = way.apply(LeaseRequest.of("x", LONG));
      ways.add(() -> leases.tryAcquire(request).orElseThrow());
      ways.add(() -> leases.acquire(request));
      ways.add(() -> leases.acquire(request.waitTimeout(LIMIT)));
      ways.add(() -> leases.acquireAll(List.of(request.waitTimeout(LIMIT))).get("x"));
      ways.add(() -> leases.acquire(way.apply(LeaseRequest.read("x", LONG))));
      ways.add(() -> leases.acquire(way.apply(LeaseRequest.permits("x", 1, 2, LONG))));
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
  void manyNamesShareOneSubscription() {
    int names = 12;
    List<Lease> held =
        IntStream.range(0, names).mapToObj(i -> elsewhere.acquire("x" + i, LONG)).toList();
    List<Callable<Long>> actors = new ArrayList<>();
    for (int i = 0; i < names; i++) {
      String name = "x" + i;
      actors.add(
          () -> {
            try (Lease lease = leases.acquire(LeaseRequest.of(name, LONG).waitTimeout(LIMIT))) {
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
    ConcurrentActors.run(actors).resultsOrThrow();

    assertThat(faulty.subscriptions).hasValue(1);
  }

  /** Spring Integration's JdbcLock: a hot loop without an end while the database fails. */
  @Test
  void failingStoreIsPolledRarelyWithinTimeout() {
    faulty.beforeAcquire = LeaseDefectsContract::fail;
    for (UnaryOperator<LeaseRequest> way : ways(request -> request, LeaseRequest::fair)) {
      int before = faulty.acquires.get();
      assertThatThrownBy(
              () ->
                  leases.acquire(
                      way.apply(LeaseRequest.of("x", LONG).waitTimeout(Duration.ofMillis(400)))))
          .isInstanceOf(StoreException.class);
      assertThat(faulty.acquires.get() - before).isBetween(2, 100);
    }
    faulty.beforeAcquire = count -> {};
    await("nothing is left behind", () -> leases.tryAcquire("x", LONG).isPresent());
  }

  /** ShedLock#27, #1574: it remembered which rows exist, and never made a deleted one again. */
  @Test
  void acquiresNameOfDeletedRecord() {
    Lease lost = leases.acquire("x", LONG);
    Lease shared = leases.acquire(LeaseRequest.read("x", LONG).waitTimeout(LIMIT));
    place.loseEverything();

    assertThat(lost.renew()).isEqualTo(Lease.RenewResult.LOST);
    assertThat(lost.release()).isEqualTo(Lease.ReleaseResult.LOST);
    assertThat(shared.release()).isEqualTo(Lease.ReleaseResult.LOST);
    assertThat(leases.acquire("x", LONG).token()).isGreaterThan(lost.token());
    assertThat(leases.acquire(LeaseRequest.write("x", LONG).waitTimeout(LIMIT)).token())
        .isGreaterThan(shared.token());
  }

  /** ShedLock#147, #1094; spring-integration#2467, #3294, #3445, #3567, #3733: deadlocks. */
  @Test
  void newNameNeverDeadlocks() {
    for (int round = 0; round < 3; round++) {
      String name = "x" + round;
      List<Target> targets =
          List.of(Target.exclusive(name), Target.permits(name, 1, 2), Target.write(name));
      List<Integer> granted =
          ConcurrentActors.run(
                  9,
                  index -> {
                    int mine = 0;
                    for (int i = 0; i < targets.size(); i++) {
                      Target target = targets.get((i + index) % targets.size());
                      boolean had =
                          store.acquire(request(target, "a#" + index, LONG))
                              instanceof AcquireResult.Granted;
                      mine += had ? 1 : 0;
                    }
                    return mine;
                  })
              .resultsOrThrow();
      assertThat(granted.stream().mapToInt(Integer::intValue).sum()).isEqualTo(1 + 2 + 1);
    }
  }

  /** The lease of one that hangs is taken away for those who wait, also for those beside it. */
  @Test
  void localWaiterGetsRevokedLease() {
    Lease hangs = leases.acquire("x", LONG);
    ConcurrentActors.run(
            LIMIT,
            2,
            index -> {
              if (index == 0) {
                await("it must ask", () -> faulty.acquires.get() > 1);
                elsewhere.forceRelease(hangs.key());
              } else {
                leases.acquire(LeaseRequest.of("x", LONG).waitTimeout(LIMIT)).close();
              }
              return index;
            })
        .resultsOrThrow();
  }
}
