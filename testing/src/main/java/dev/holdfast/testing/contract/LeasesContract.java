package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseGroup;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseLostException;
import dev.holdfast.lease.LeaseTakenException;
import dev.holdfast.lease.LeaseTarget;
import dev.holdfast.lease.Leases;
import dev.holdfast.lease.ReleaseResult;
import dev.holdfast.lease.RenewResult;
import dev.holdfast.testing.Actors;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How leases behave for those who use them, on every store. */
public abstract class LeasesContract extends LeaseTests {
  private Leases leases;
  private Leases elsewhere;

  @SuppressWarnings("NullAway.Init")
  protected LeasesContract(Supplier<LeasePlace> places) {
    super(places);
  }

  @BeforeEach
  void makeLeases() {
    leases = Leases.on(store);
    elsewhere = Leases.on(place.open());
  }

  @Test
  void aLeaseIsHadByOneAtATime() {
    Lease lease = leases.tryAcquire("x", LONG).orElseThrow();

    assertThat(leases.tryAcquire("x", LONG)).isEmpty();
    assertThat(elsewhere.tryAcquire("x", LONG)).isEmpty();
    assertThat(lease.key()).isEqualTo(LeaseKey.exclusive("x"));
    assertThat(lease.remaining()).isBetween(LONG.minusMinutes(1), LONG);
    assertThat(lease.isValid()).isTrue();
    lease.ensureValid(LONG.minusMinutes(1));

    assertThat(lease.release()).isEqualTo(ReleaseResult.RELEASED);
    try (Lease next = elsewhere.tryAcquire("x", LONG).orElseThrow()) {
      assertThat(next.token()).isGreaterThan(lease.token());
    }
  }

  @Test
  void aReleasedLeaseIsOverForItsHolder() {
    Lease lease = leases.acquire("x", LONG);
    lease.release();
    Lease next = leases.acquire("x", LONG);

    assertThat(lease.release()).as("a second time").isEqualTo(ReleaseResult.RELEASED);
    lease.close();
    assertThat(lease.isValid()).isFalse();
    assertThat(lease.remaining()).isZero();
    assertThat(lease.renew()).isEqualTo(RenewResult.LOST);
    assertThatThrownBy(() -> lease.ensureValid(Duration.ZERO))
        .isInstanceOf(LeaseLostException.class)
        .hasMessageContainingAll("'x'", "released");
    assertThat(next.renew()).isEqualTo(RenewResult.RENEWED);
  }

  @Test
  void whoDoesNotGetItInTimeIsTold() {
    leases.acquire("x", LONG);

    assertThatThrownBy(() -> elsewhere.acquire("x", LONG, Duration.ofMillis(50)))
        .isInstanceOf(LeaseTakenException.class)
        .hasMessageContainingAll("'x'", "PT0.05S");
    assertThatThrownBy(() -> leases.fair().acquire("x", LONG, Duration.ofMillis(50)))
        .isInstanceOf(LeaseTakenException.class);
  }

  @Test
  void aWaiterGetsItWhenItIsReleased() {
    for (Leases waiting : List.of(leases, elsewhere, leases.fair(), elsewhere.fair())) {
      Lease lease = leases.acquire("x", LONG);
      List<Callable<Long>> actors =
          List.of(
              () -> {
                try (Lease next = waiting.acquire("x", LONG, LIMIT)) {
                  return next.token();
                }
              },
              () -> {
                await("it must be waited for", () -> !waiters("x").isEmpty());
                lease.release();
                return lease.token();
              });
      List<Long> tokens = Actors.run(actors).resultsOrThrow();
      assertThat(tokens.get(0)).isGreaterThan(tokens.get(1));
    }
  }

  private List<?> waiters(String name) {
    return store.find(LeaseKey.exclusive(name)).orElseThrow().waiters();
  }

  @Test
  void aWaiterNeverSleepsPastTheEndOfADeadHolder() {
    // from then on it hears of releases, and does not ask from time to time any more
    elsewhere.acquire("w", Duration.ofSeconds(2));
    leases.acquire("w", LONG, LIMIT);
    elsewhere.acquire("x", SHORT);
    elsewhere.acquire("y", SHORT);

    long begun = System.nanoTime();
    leases.acquire("x", LONG, LIMIT);
    assertThat(Duration.ofNanos(System.nanoTime() - begun))
        .as("until its mark in the store is to be renewed it would be 15 s")
        .isLessThan(Duration.ofSeconds(10));
    leases.fair().acquire("y", LONG, LIMIT);
  }

  /** Each of its releases is offered to those who wait outside of the queue, sooner or later. */
  @Test
  void oneThatComesAgainAtOnceThroughTheQueueDoesNotStarveTheOthers() throws Exception {
    Lease held = elsewhere.fair().acquire("x", LONG, LIMIT);
    Thread waiter = new Thread(() -> leases.acquire("x", LONG, LIMIT));
    waiter.start();
    await("it must wait", () -> !waiters("x").isEmpty());
    int rounds = 0;
    while (waiter.isAlive() && rounds < 30) {
      rounds++;
      long end = System.nanoTime() + Duration.ofMillis(250).toNanos();
      await("it works for a while", () -> System.nanoTime() - end > 0);
      held.release();
      try {
        held = elsewhere.fair().acquire("x", LONG, Duration.ofSeconds(1));
      } catch (LeaseTakenException e) {
        break;
      }
    }
    assertThat(rounds).as("rounds until the other one got it").isLessThan(30);
    waiter.join();
  }

  @Test
  void anInterruptedWaiterLeavesAndStaysInterrupted() {
    Lease lease = leases.acquire("x", LONG);
    Thread.currentThread().interrupt();
    try {
      assertThatThrownBy(() -> leases.acquire("x", LONG, LIMIT))
          .isInstanceOf(LeaseTakenException.class)
          .hasMessageContaining("interrupted");
      assertThat(Thread.currentThread().isInterrupted()).isTrue();
    } finally {
      Thread.interrupted();
    }
    lease.release();
    assertThat(elsewhere.tryAcquire("x", LONG)).isPresent();
  }

  @Test
  void fairWaitersGetItInTheOrderOfTheirArrival() {
    List<Integer> order = Collections.synchronizedList(new ArrayList<>());
    Lease lease = leases.acquire("x", LONG);
    List<Callable<Integer>> actors = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      int mine = i;
      Leases own = (mine % 2 == 0 ? leases : elsewhere).fair();
      actors.add(
          () -> {
            await("those before must wait", () -> waiters("x").size() == mine);
            try (Lease next = own.acquire("x", LONG, LIMIT)) {
              assertThat(next.isValid()).isTrue();
              order.add(mine);
              return mine;
            }
          });
    }
    actors.add(
        () -> {
          await("all must wait", () -> waiters("x").size() == 4);
          lease.release();
          return 0;
        });
    Actors.run(actors).resultsOrThrow();
    assertThat(order).containsExactly(0, 1, 2, 3);
  }

  @Test
  void readersReadTogetherAndTheWriterWaitsForThem() {
    Lease one = leases.acquire(LeaseTarget.read("x"), LONG, LIMIT);
    Lease two = elsewhere.acquire(LeaseTarget.read("x"), LONG, LIMIT);
    List<Callable<Long>> actors =
        List.of(
            () -> {
              try (Lease writer = elsewhere.acquire(LeaseTarget.write("x"), LONG, LIMIT)) {
                return writer.token();
              }
            },
            () -> {
              await(
                  "the writer must wait",
                  () -> !store.find(LeaseKey.readWrite("x")).orElseThrow().waiters().isEmpty());
              assertThat(leases.tryAcquire(LeaseTarget.read("x"), LONG)).isEmpty();
              one.release();
              two.release();
              return two.token();
            });
    List<Long> tokens = Actors.run(actors).resultsOrThrow();
    assertThat(tokens.get(0)).isGreaterThan(tokens.get(1));
    leases.acquire(LeaseTarget.read("x"), LONG, LIMIT);
  }

  @Test
  void aSemaphoreLetsInAsManyAsItHas() {
    Lease one = leases.acquire(LeaseTarget.permit("x", 2), LONG, LIMIT);
    elsewhere.acquire(LeaseTarget.permit("x", 2), LONG, LIMIT);

    assertThat(leases.tryAcquire(LeaseTarget.permit("x", 2), LONG)).isEmpty();
    one.close();
    assertThat(leases.tryAcquire(LeaseTarget.permit("x", 2), LONG)).isPresent();
  }

  @Test
  void aGroupIsAcquiredAllOrNone() {
    Lease b = elsewhere.acquire("b", LONG);

    assertThat(leases.tryAcquireAll(List.of("c", "b", "a"), LONG)).isEmpty();
    assertThatThrownBy(() -> leases.acquireAll(List.of("c", "b", "a"), LONG, Duration.ofMillis(20)))
        .isInstanceOf(LeaseTakenException.class)
        .hasMessageContaining("'b'");
    assertThat(isFree(LeaseKey.exclusive("a"))).isTrue();
    assertThat(isFree(LeaseKey.exclusive("c"))).isTrue();

    b.release();
    try (LeaseGroup group = leases.acquireAll(List.of("c", "b", "a", "b"), LONG, LIMIT)) {
      assertThat(group.leases())
          .extracting(lease -> lease.key().name())
          .containsExactly("a", "b", "c");
      assertThat(group.lease("b").token()).isGreaterThan(b.token());
      assertThat(group.remaining()).isGreaterThan(LONG.minusMinutes(1));
      group.ensureValid(SHORT);
      assertThatThrownBy(() -> group.lease("d")).isInstanceOf(InvalidArgumentException.class);
    }
    assertThat(leases.tryAcquireAll(List.of("a", "b", "c"), LONG)).isPresent();
  }

  @Test
  void groupsInOppositeOrdersDoNotWaitForEachOther() {
    Actors.run(
            4,
            index -> {
              List<String> names = new ArrayList<>(List.of("a", "b", "c"));
              Collections.rotate(names, index);
              for (int round = 0; round < 5; round++) {
                (index % 2 == 0 ? leases : elsewhere).acquireAll(names, LONG, LIMIT).close();
              }
              return index;
            })
        .resultsOrThrow();
  }

  @Test
  void aThreadDoesNotGetItTwiceUnlessAskedFor() {
    Leases reentrant = leases.reentrant();
    Lease outer = reentrant.acquire("x", LONG);
    assertThat(leases.tryAcquire("x", LONG)).isEmpty();

    Lease inner = reentrant.acquire("x", LONG, Duration.ZERO);

    assertThat(inner.token()).isEqualTo(outer.token());
    assertRefused(() -> reentrant.acquire("x", LONG.plusSeconds(1)), "as much the first time");
    assertThat(inner.release()).isEqualTo(ReleaseResult.RELEASED);
    assertThat(inner.release()).isEqualTo(ReleaseResult.RELEASED);
    assertThat(outer.isValid()).isTrue();
    assertThat(elsewhere.tryAcquire("x", LONG)).isEmpty();
    assertThat(Actors.run(1, index -> reentrant.tryAcquire("x", LONG).isPresent()).resultsOrThrow())
        .as("on another thread")
        .containsExactly(false);
    outer.close();
    assertThat(elsewhere.tryAcquire("x", LONG)).isPresent();
  }

  @Test
  void aThreadThatReadsIsNotLetWaitForItself() {
    Leases reentrant = leases.reentrant();
    reentrant.acquire(LeaseTarget.read("x"), LONG, LIMIT);

    assertThatThrownBy(() -> reentrant.acquire(LeaseTarget.write("x"), LONG, LIMIT))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("wait for itself");
  }

  @Test
  void workRunsUnderItsLease() throws Exception {
    long token = leases.withLease("x", LONG, LIMIT, lease -> lease.token());

    assertThat(elsewhere.acquire("x", LONG).token()).isGreaterThan(token);
    assertThatThrownBy(
            () -> leases.withLease("x", LONG, Duration.ofMillis(1), lease -> lease.token()))
        .isInstanceOf(LeaseTakenException.class);
  }

  @Test
  void operatorsSeeWhoHoldsAndCanTakeItAway() {
    Lease lease = leases.named("billing-7").acquire("x", LONG);

    assertThat(elsewhere.list("", null, 10).get(0).holders().get(0).who()).startsWith("billing-7#");
    long raised = elsewhere.forceRelease(lease.key()).orElseThrow();

    assertThat(raised).isGreaterThan(lease.token());
    assertThat(lease.renew()).isEqualTo(RenewResult.LOST);
    assertThat(lease.isValid()).isFalse();
    assertThatThrownBy(lease::close)
        .isInstanceOf(LeaseLostException.class)
        .hasMessageContaining("another holder");
    assertThat(elsewhere.find(lease.key()).orElseThrow().holders()).isEmpty();
    assertThat(elsewhere.acquire("x", LONG).token()).isGreaterThan(raised);
  }

  @Test
  void badInputIsRefused() {
    assertRefused(() -> leases.tryAcquire("", LONG), "1 to 300");
    assertRefused(() -> leases.tryAcquire("x".repeat(301), LONG), "had 301");
    assertRefused(() -> leases.tryAcquire("x\u0000", LONG), "U+0000");
    assertRefused(() -> leases.tryAcquire("x\ud83d", LONG), "surrogate");
    assertRefused(() -> leases.tryAcquire("x", Duration.ZERO), "PT0.1S");
    assertRefused(() -> leases.tryAcquire("x", Duration.ofSeconds(-1)), "PT-1S");
    assertRefused(() -> leases.tryAcquire("x", Duration.ofDays(8)), "PT168H");
    assertRefused(() -> leases.acquire("x", LONG, Duration.ofSeconds(-1)), "PT-1S");
    assertRefused(() -> leases.acquire("x", LONG, Duration.ofDays(2)), "PT24H");
    assertRefused(() -> LeaseTarget.permits("x", 3, 2), "from 1 to 2, was 3");
    assertRefused(() -> LeaseTarget.permits("x", 0, 2), "was 0");
    assertRefused(() -> leases.acquireAll(List.of(), LONG, LIMIT), "at least one");
    assertRefused(() -> leases.list("", null, 0), "from 1 to 1000");
    assertRefused(() -> leases.named(" "), "blank");
    assertRefused(() -> leases.named("n".repeat(101)), "100");
    assertRefused(() -> leases.named("*"), "asterisk");
  }

  private static void assertRefused(Callable<?> call, String why) {
    assertThatThrownBy(call::call)
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining(why);
  }
}
