package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lease.Lease;
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
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Defects that other libraries have or had, and these leases must not: each test names where it is
 * known from. The table of all of them is in {@code docs/design/lease-defects.md}.
 */
public abstract class LeaseDefectsContract extends LeaseDefectTests {
  protected LeaseDefectsContract(Supplier<LeasePlace> places) {
    super(places);
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
      Lease lease = leases.renewing().acquire(target, Duration.ofSeconds(3), LIMIT);
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
    Lease lease = leases.renewing().acquire("x", Duration.ofSeconds(6));

    await("it must be renewed", () -> faulty.renewals.get() > 4);

    assertThat(lease.isValid()).isTrue();
    assertThat(lease.release()).isEqualTo(ReleaseResult.RELEASED);
  }

  /** redisson#5698, #1604: of many locks some were not renewed in time, such as read locks. */
  @Test
  void ofManyLeasesEachIsKeptAlive() {
    Duration brief = Duration.ofSeconds(4);
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

  /** A node of a cluster hangs, or the row of one lease is locked: the others are renewed. */
  @Test
  void renewalsThatHangDoNotHoldUpThoseOfOtherLeases() {
    CountDownLatch go = new CountDownLatch(1);
    faulty.beforeRenewalOf =
        hold -> {
          if (hold.key().name().startsWith("hangs")) {
            awaitLatch(go);
          }
        };
    Duration brief = Duration.ofSeconds(4);
    for (int i = 0; i < 4; i++) {
      leases.renewing().acquire("hangs" + i, brief);
    }
    Lease healthy = leases.renewing().acquire("healthy", brief);
    long end = System.nanoTime() + brief.toNanos() * 3 / 2;
    await("time passes", () -> System.nanoTime() - end > 0);

    assertThat(healthy.isValid()).isTrue();
    assertThat(elsewhere.tryAcquire("healthy", LONG)).isEmpty();
    go.countDown();
    assertThat(healthy.release()).isEqualTo(ReleaseResult.RELEASED);
  }

  /** spring-integration#1888, #2660, curator#1193: after a release that failed, never again. */
  @Test
  void aReleaseThatFailedBarsNobodyLongerThanTheLease() {
    for (Leases way : List.of(leases, leases.renewing(), leases.reentrant())) {
      faulty.beforeRelease = LeaseDefectsContract::fail;
      Lease lease = way.acquire("x", Duration.ofSeconds(1));
      assertThatThrownBy(lease::close).isInstanceOf(LeaseStoreException.class);
      assertThatThrownBy(lease::release).isInstanceOf(LeaseStoreException.class);
      faulty.beforeRelease = count -> {};

      Lease next = way.acquire("x", LONG, LIMIT);
      assertThat(next.token()).isGreaterThan(lease.token());
      assertThat(lease.release()).isEqualTo(ReleaseResult.WAS_LOST);
      assertThat(next.release()).isEqualTo(ReleaseResult.RELEASED);
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

  /** The lease of one that hangs is taken away for those who wait, also for those beside it. */
  @Test
  void whoWaitsBehindAHolderOfItsOwnProcessGetsWhatIsTakenAway() {
    Lease hangs = leases.acquire("x", LONG);
    Actors.run(
            LIMIT,
            2,
            index -> {
              if (index == 0) {
                await("it must ask", () -> faulty.acquires.get() > 1);
                elsewhere.forceRelease(hangs.key());
              } else {
                leases.acquire("x", LONG, LIMIT).close();
              }
              return index;
            })
        .resultsOrThrow();
  }
}
