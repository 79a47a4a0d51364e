package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.InvalidArgumentException;
import dev.holdfast.LeaseLostException;
import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseGroup;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseNotAcquiredException;
import dev.holdfast.lease.LeaseRequest;
import dev.holdfast.lease.LeaseRequest.Target;
import dev.holdfast.lease.Leases;
import dev.holdfast.testing.ConcurrentActors;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How leases behave for those who use them, on every store. */
public abstract class LeasesContract extends LeaseTests {
  private Leases leases;
  private Leases elsewhere;

  @SuppressWarnings("NullAway.Init")
  protected LeasesContract(Supplier<LeaseStoreFixture> places) {
    super(places);
  }

  @BeforeEach
  void makeLeases() {
    leases = Holdfast.createLeases(store);
    elsewhere = Holdfast.createLeases(place.open());
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

    assertThat(lease.release()).isEqualTo(Lease.ReleaseResult.RELEASED);
    try (Lease next = elsewhere.tryAcquire("x", LONG).orElseThrow()) {
      assertThat(next.token()).isGreaterThan(lease.token());
    }
  }

  @Test
  void releasedLeaseIsExpired() {
    Lease lease = leases.acquire("x", LONG);
    lease.release();
    Lease next = leases.acquire("x", LONG);

    assertThat(lease.release()).as("a second time").isEqualTo(Lease.ReleaseResult.RELEASED);
    lease.close();
    assertThat(lease.isValid()).isFalse();
    assertThat(lease.remaining()).isZero();
    assertThat(lease.renew()).isEqualTo(Lease.RenewResult.LOST);
    assertThatThrownBy(() -> lease.ensureValid(Duration.ZERO))
        .isInstanceOf(LeaseLostException.class)
        .hasMessageContainingAll("'x'", "released");
    assertThat(next.renew()).isEqualTo(Lease.RenewResult.RENEWED);
  }

  @Test
  void acquireTimesOut() {
    leases.acquire("x", LONG);

    assertThatThrownBy(
            () -> elsewhere.acquire(LeaseRequest.of("x", LONG).waitTimeout(Duration.ofMillis(50))))
        .isInstanceOf(LeaseNotAcquiredException.class)
        .hasMessageContainingAll("'x'", "PT0.05S");
    assertThatThrownBy(
            () ->
                leases.acquire(
                    LeaseRequest.of("x", LONG).fair().waitTimeout(Duration.ofMillis(50))))
        .isInstanceOf(LeaseNotAcquiredException.class);
  }

  @Test
  void aWaiterGetsItWhenItIsReleased() {
    for (int i = 0; i < 4; i++) {
      Leases waiting = i % 2 == 0 ? leases : elsewhere;
      LeaseRequest plain = LeaseRequest.of("x", LONG).waitTimeout(LIMIT);
      LeaseRequest request = i < 2 ? plain : plain.fair();
      Lease lease = leases.acquire("x", LONG);
      List<Callable<Long>> actors =
          List.of(
              () -> {
                try (Lease next = waiting.acquire(request)) {
                  return next.token();
                }
              },
              () -> {
                await("it must be waited for", () -> !waiters("x").isEmpty());
                lease.release();
                return lease.token();
              });
      List<Long> tokens = ConcurrentActors.run(actors).resultsOrThrow();
      assertThat(tokens.get(0)).isGreaterThan(tokens.get(1));
    }
  }

  private List<?> waiters(String name) {
    return store.find(LeaseKey.exclusive(name)).orElseThrow().waiters();
  }

  @Test
  void waiterWakesWhenHolderExpires() {
    // from then on it hears of releases, and does not ask from time to time any more
    elsewhere.acquire("w", Duration.ofSeconds(2));
    leases.acquire(LeaseRequest.of("w", LONG).waitTimeout(LIMIT));
    elsewhere.acquire("x", SHORT);
    elsewhere.acquire("y", SHORT);

    long begun = System.nanoTime();
    leases.acquire(LeaseRequest.of("x", LONG).waitTimeout(LIMIT));
    assertThat(Duration.ofNanos(System.nanoTime() - begun))
        .as("until its mark in the store is to be renewed it would be 15 s")
        .isLessThan(Duration.ofSeconds(10));
    leases.acquire(LeaseRequest.of("y", LONG).fair().waitTimeout(LIMIT));
  }

  /** Each of its releases is offered to those who wait outside of the queue, sooner or later. */
  @Test
  void requeuingWaiterDoesNotStarveOthers() throws Exception {
    Lease held = elsewhere.acquire(LeaseRequest.of("x", LONG).fair().waitTimeout(LIMIT));
    Thread waiter = new Thread(() -> leases.acquire(LeaseRequest.of("x", LONG).waitTimeout(LIMIT)));
    waiter.start();
    await("it must wait", () -> !waiters("x").isEmpty());
    int rounds = 0;
    while (waiter.isAlive() && rounds < 30) {
      rounds++;
      long end = System.nanoTime() + Duration.ofMillis(250).toNanos();
      await("it works for a while", () -> System.nanoTime() - end > 0);
      held.release();
      try {
        held =
            elsewhere.acquire(LeaseRequest.of("x", LONG).fair().waitTimeout(Duration.ofSeconds(1)));
      } catch (LeaseNotAcquiredException e) {
        break;
      }
    }
    assertThat(rounds).as("rounds until the other one got it").isLessThan(30);
    waiter.join();
  }

  @Test
  void interruptedWaiterStaysInterrupted() {
    Lease lease = leases.acquire("x", LONG);
    Thread.currentThread().interrupt();
    try {
      assertThatThrownBy(() -> leases.acquire(LeaseRequest.of("x", LONG).waitTimeout(LIMIT)))
          .isInstanceOf(LeaseNotAcquiredException.class)
          .hasMessageContaining("interrupted");
      assertThat(Thread.currentThread().isInterrupted()).isTrue();
    } finally {
      Thread.interrupted();
    }
    lease.release();
    assertThat(elsewhere.tryAcquire("x", LONG)).isPresent();
  }

  @Test
  void fairWaitersAcquireInOrder() {
    List<Integer> order = Collections.synchronizedList(new ArrayList<>());
    Lease lease = leases.acquire("x", LONG);
    List<Callable<Integer>> actors = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      int mine = i;
      Leases own = mine % 2 == 0 ? leases : elsewhere;
      actors.add(
          () -> {
            await("those before must wait", () -> waiters("x").size() == mine);
            try (Lease next = own.acquire(LeaseRequest.of("x", LONG).fair().waitTimeout(LIMIT))) {
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
    ConcurrentActors.run(actors).resultsOrThrow();
    assertThat(order).containsExactly(0, 1, 2, 3);
  }

  @Test
  void readersShareAndWriterWaits() {
    Lease one = leases.acquire(LeaseRequest.read("x", LONG).waitTimeout(LIMIT));
    Lease two = elsewhere.acquire(LeaseRequest.read("x", LONG).waitTimeout(LIMIT));
    List<Callable<Long>> actors =
        List.of(
            () -> {
              try (Lease writer =
                  elsewhere.acquire(LeaseRequest.write("x", LONG).waitTimeout(LIMIT))) {
                return writer.token();
              }
            },
            () -> {
              await(
                  "the writer must wait",
                  () -> !store.find(LeaseKey.readWrite("x")).orElseThrow().waiters().isEmpty());
              assertThat(leases.tryAcquire(LeaseRequest.read("x", LONG))).isEmpty();
              one.release();
              two.release();
              return two.token();
            });
    List<Long> tokens = ConcurrentActors.run(actors).resultsOrThrow();
    assertThat(tokens.get(0)).isGreaterThan(tokens.get(1));
    leases.acquire(LeaseRequest.read("x", LONG).waitTimeout(LIMIT));
  }

  @Test
  void aSemaphoreLetsInAsManyAsItHas() {
    Lease one = leases.acquire(LeaseRequest.permits("x", 1, 2, LONG).waitTimeout(LIMIT));
    elsewhere.acquire(LeaseRequest.permits("x", 1, 2, LONG).waitTimeout(LIMIT));

    assertThat(leases.tryAcquire(LeaseRequest.permits("x", 1, 2, LONG))).isEmpty();
    one.close();
    assertThat(leases.tryAcquire(LeaseRequest.permits("x", 1, 2, LONG))).isPresent();
  }

  @Test
  void aGroupIsAcquiredAllOrNone() {
    Lease b = elsewhere.acquire("b", LONG);

    assertThat(leases.tryAcquireAll(requests(List.of("c", "b", "a"), LONG))).isEmpty();
    assertThatThrownBy(
            () -> leases.acquireAll(requests(List.of("c", "b", "a"), LONG, Duration.ofMillis(20))))
        .isInstanceOf(LeaseNotAcquiredException.class)
        .hasMessageContaining("'b'");
    assertThat(isFree(LeaseKey.exclusive("a"))).isTrue();
    assertThat(isFree(LeaseKey.exclusive("c"))).isTrue();

    b.release();
    try (LeaseGroup group = leases.acquireAll(requests(List.of("c", "b", "a", "b"), LONG, LIMIT))) {
      assertThat(group.leases())
          .extracting(lease -> lease.key().name())
          .containsExactly("a", "b", "c");
      assertThat(group.get("b").token()).isGreaterThan(b.token());
      assertThat(group.remaining()).isGreaterThan(LONG.minusMinutes(1));
      group.ensureValid(SHORT);
      assertThatThrownBy(() -> group.get("d")).isInstanceOf(InvalidArgumentException.class);
    }
    assertThat(leases.tryAcquireAll(requests(List.of("a", "b", "c"), LONG))).isPresent();
  }

  @Test
  void oppositeGroupsDoNotDeadlock() {
    ConcurrentActors.run(
            4,
            index -> {
              List<String> names = new ArrayList<>(List.of("a", "b", "c"));
              Collections.rotate(names, index);
              for (int round = 0; round < 5; round++) {
                (index % 2 == 0 ? leases : elsewhere)
                    .acquireAll(requests(names, LONG, LIMIT))
                    .close();
              }
              return index;
            })
        .resultsOrThrow();
  }

  @Test
  void aThreadDoesNotGetItTwiceUnlessAskedFor() {
    LeaseRequest reentrant = LeaseRequest.of("x", LONG).reentrant();
    Lease outer = leases.acquire(reentrant);
    assertThat(leases.tryAcquire("x", LONG)).isEmpty();

    Lease inner = leases.acquire(reentrant.waitTimeout(Duration.ZERO));

    assertThat(inner.token()).isEqualTo(outer.token());
    assertRefused(
        () -> leases.acquire(LeaseRequest.of("x", LONG.plusSeconds(1)).reentrant()),
        "request the longer duration first");
    assertThat(inner.release()).isEqualTo(Lease.ReleaseResult.RELEASED);
    assertThat(inner.release()).isEqualTo(Lease.ReleaseResult.RELEASED);
    assertThat(outer.isValid()).isTrue();
    assertThat(elsewhere.tryAcquire("x", LONG)).isEmpty();
    assertThat(
            ConcurrentActors.run(1, index -> leases.tryAcquire(reentrant).isPresent())
                .resultsOrThrow())
        .as("on another thread")
        .containsExactly(false);
    outer.close();
    assertThat(elsewhere.tryAcquire("x", LONG)).isPresent();
  }

  @Test
  void aThreadThatReadsIsNotLetWaitForItself() {
    leases.acquire(LeaseRequest.read("x", LONG).reentrant());

    assertThatThrownBy(() -> leases.acquire(LeaseRequest.write("x", LONG).reentrant()))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("wait for itself");
  }

  @Test
  void workRunsUnderItsLease() throws Exception {
    long token = leases.call(LeaseRequest.of("x", LONG).waitTimeout(LIMIT), lease -> lease.token());

    assertThat(elsewhere.acquire("x", LONG).token()).isGreaterThan(token);
    assertThatThrownBy(
            () ->
                leases.call(
                    LeaseRequest.of("x", LONG).waitTimeout(Duration.ofMillis(1)),
                    lease -> lease.token()))
        .isInstanceOf(LeaseNotAcquiredException.class);
  }

  @Test
  void runsWorkWithoutResult() {
    AtomicLong token = new AtomicLong();

    leases.run(LeaseRequest.of("x", LONG), lease -> token.set(lease.token()));

    assertThat(elsewhere.acquire("x", LONG).token()).isGreaterThan(token.get());
  }

  @Test
  void tryAcquireIgnoresWaitTimeout() {
    leases.acquire("x", LONG);
    LeaseRequest request = LeaseRequest.of("x", LONG).waitTimeout(LIMIT);
    long start = System.nanoTime();

    assertThat(elsewhere.tryAcquire(request)).isEmpty();
    assertThat(elsewhere.tryAcquireAll(List.of(request))).isEmpty();
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(LIMIT);
  }

  @Test
  void groupWaitsAsLongAsEachRequestSays() {
    leases.acquire("b", LONG);
    LeaseRequest first = LeaseRequest.of("a", LONG).waitTimeout(LIMIT);
    LeaseRequest second = LeaseRequest.of("b", LONG).waitTimeout(Duration.ofMillis(20));

    long start = System.nanoTime();
    assertThatThrownBy(() -> elsewhere.acquireAll(List.of(second, first)))
        .isInstanceOfSatisfying(
            LeaseNotAcquiredException.class,
            failure -> {
              assertThat(failure.request()).isEqualTo(second);
              assertThat(failure.code()).isEqualTo("lease-wait-timeout");
            });
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(LIMIT);
    assertThat(isFree(first.key())).isTrue();
  }

  @Test
  void groupRejectsDifferentRequestsForOneKey() {
    LeaseRequest one = LeaseRequest.of("a", LONG);

    assertRefused(() -> leases.acquireAll(List.of(one, one.autoRenew())), "request 'a' once");
  }

  @Test
  void operatorsSeeAndRevokeHolders() {
    Lease lease = Holdfast.createLeases(store, "billing-7").acquire("x", LONG);

    assertThat(elsewhere.list("", null, 10).get(0).holders().get(0).instanceName())
        .startsWith("billing-7#");
    long raised = elsewhere.forceRelease(lease.key()).orElseThrow();

    assertThat(raised).isGreaterThan(lease.token());
    assertThat(lease.renew()).isEqualTo(Lease.RenewResult.LOST);
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
    assertRefused(
        () -> leases.acquire(LeaseRequest.of("x", LONG).waitTimeout(Duration.ofSeconds(-1))),
        "PT-1S");
    assertRefused(
        () -> leases.acquire(LeaseRequest.of("x", LONG).waitTimeout(Duration.ofDays(2))), "PT24H");
    assertRefused(() -> Target.permits("x", 3, 2), "from 1 to 2, was 3");
    assertRefused(() -> Target.permits("x", 0, 2), "was 0");
    assertRefused(() -> leases.acquireAll(requests(List.of(), LONG, LIMIT)), "at least one");
    assertRefused(() -> leases.list("", null, 0), "from 1 to 1000");
    assertRefused(() -> Holdfast.createLeases(store, " "), "blank");
    assertRefused(() -> Holdfast.createLeases(store, "n".repeat(101)), "100");
    assertRefused(() -> Holdfast.createLeases(store, "*"), "asterisk");
  }

  private static void assertRefused(Callable<?> call, String why) {
    assertThatThrownBy(call::call)
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining(why);
  }
}
