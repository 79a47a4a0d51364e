package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseNotAcquiredException;
import dev.holdfast.lease.LeaseRecord;
import dev.holdfast.lease.LeaseRequest;
import dev.holdfast.lease.LeaseRequest.Target;
import dev.holdfast.lease.Leases;
import dev.holdfast.lease.spi.LeaseStore.AcquireResult;
import dev.holdfast.lease.spi.LeaseStore.ReleaseResult;
import dev.holdfast.lease.spi.LeaseStore.Request;
import dev.holdfast.lease.spi.LeaseStore.Successor;
import dev.holdfast.lease.spi.LeaseStore.WaitRegistration;
import java.time.Duration;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What is released while another process waits is for a moment not there for its last process. */
public abstract class LeaseOfferContract extends LeaseTests {
  /** Held for so long, a lease is offered in any case. */
  private static final Duration OFFERED_AFTER = Duration.ofMillis(250);

  /** An offer lasts for longer. */
  private static final Duration MOMENT = Duration.ofMillis(40);

  private static final Duration MAX_OFFER = Duration.ofMillis(60);
  private static final int MAX_ROUNDS = 50;

  protected LeaseOfferContract(Supplier<LeaseStoreFixture> places) {
    super(places);
  }

  private static Request elsewhere(String name) {
    return waiting(request(Target.exclusive(name), "b#2", LONG));
  }

  private static void pass(Duration time) {
    long end = System.nanoTime() + time.toNanos();
    await("time must pass", () -> System.nanoTime() - end > 0);
  }

  /** Grants it, lets those wait for it, and releases it after a while. */
  private void release(Request holder, Request... waiters) {
    granted(holder);
    for (Request waiter : waiters) {
      taken(waiter);
    }
    pass(OFFERED_AFTER);
    assertThat(store.release(hold(holder), null)).isInstanceOf(ReleaseResult.Released.class);
  }

  @Test
  void releasedLeaseIsReservedForWaiters() {
    for (int round = 0; round < MAX_ROUNDS; round++) {
      String name = "x" + round;
      Request waiter = elsewhere(name);
      release(request(name), waiter);
      long released = System.nanoTime();
      AcquireResult answer = store.acquire(waiting(request(name)));
      // else the machine has stood still for the moment
      if (System.nanoTime() - released < MOMENT.toNanos()) {
        assertThat(answer).isInstanceOf(AcquireResult.Rejected.class);
        assertThat(((AcquireResult.Rejected) answer).untilChange()).isLessThanOrEqualTo(MAX_OFFER);
        granted(waiter);
        return;
      }
    }
    throw new AssertionError("the machine is too slow");
  }

  @Test
  void unclaimedOfferIsOpenToAll() {
    release(request("x"), elsewhere("x"));

    await("it must be free", () -> store.acquire(request("x")) instanceof AcquireResult.Granted);
  }

  @Test
  void releasesAtOnceForLocalWaiters() {
    release(request("x"), waiting(request("x")));

    granted(request("x"));
  }

  @Test
  void releasesAtOnceIfWaiterExpired() {
    Request late = elsewhere("x");
    release(
        request("x"),
        new Request(
            late.target(),
            late.ownerId(),
            late.instanceName(),
            late.duration(),
            new WaitRegistration(Duration.ofMillis(1), false)));

    granted(request("x"));
  }

  @Test
  void offeredLeaseHasNoHolderOrWaiter() {
    release(request("x"), elsewhere("x"));

    LeaseRecord record = store.find(Target.exclusive("x").key()).orElseThrow();
    assertThat(record.holders()).isEmpty();
    assertThat(record.waiters()).isEmpty();
  }

  @Test
  void acceptedOfferEnds() {
    Request waiter = elsewhere("x");
    release(request("x"), waiter);
    granted(waiter);
    store.forceRelease(waiter.key());
    Request robbed = elsewhere("x");
    granted(robbed);

    taken(waiting(request("x")));
    store.release(hold(robbed), new Successor(elsewhere("x"), true));
    await("it must be free", () -> store.acquire(elsewhere("x")) instanceof AcquireResult.Granted);
  }

  @Test
  void departedWaiterDoesNotBlock() {
    Request first = request("x");
    granted(first);
    taken(elsewhere("x"));
    store.cancelWait(first.key(), "b#2");
    pass(OFFERED_AFTER);
    store.release(hold(first), null);
    Request second = request("x");

    release(second, elsewhere("x"));
    store.cancelWait(first.key(), "b#2");
    granted(request("x"));
  }

  @Test
  void cancelledWaiterDoesNotBlock() {
    Leases here = Holdfast.createLeases(place.open());
    Lease lease = here.acquire("x", LONG);
    Leases elsewhere = Holdfast.createLeases(place.open());
    assertThatThrownBy(
            () -> elsewhere.acquire(LeaseRequest.of("x", LONG).waitTimeout(Duration.ofMillis(20))))
        .isInstanceOf(LeaseNotAcquiredException.class);
    pass(OFFERED_AFTER);

    lease.close();

    assertThat(here.tryAcquire("x", LONG)).isPresent();
  }
}
