package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseRecord;
import dev.holdfast.lease.LeaseRequest.Target;
import dev.holdfast.lease.spi.LeaseStore.AcquireResult;
import dev.holdfast.lease.spi.LeaseStore.ReleaseResult;
import dev.holdfast.lease.spi.LeaseStore.Request;
import dev.holdfast.testing.ConcurrentActors;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Leases of several holders, and queues, in a store. */
public abstract class SharedLeasesContract extends LeaseTests {
  protected SharedLeasesContract(Supplier<LeaseStoreFixture> places) {
    super(places);
  }

  private static Request read() {
    return request(Target.read("x"), "a#1", LONG);
  }

  private static Request write() {
    return request(Target.write("x"), "a#1", LONG);
  }

  private static Request permit(int permits, Duration lease) {
    return request(Target.permits("x", permits, 3), "a#1", lease);
  }

  @Test
  void readersShareAndWritersDoNot() {
    Request reader = read();
    Request other = read();
    Request writer = write();
    long first = granted(reader);
    assertThat(granted(other)).isGreaterThan(first);
    taken(writer);

    store.release(hold(reader), null);
    taken(writer);
    assertThat(store.release(hold(other), null)).isInstanceOf(ReleaseResult.Released.class);
    granted(writer);

    taken(read());
    taken(write());
    store.release(hold(writer), null);
    granted(read());
  }

  @Test
  void kindsHaveNamesOfTheirOwn() {
    granted(request("x"));
    granted(write());
    granted(permit(3, LONG));
    assertThat(store.list("x", null, 10)).hasSize(3);
  }

  @Test
  void aWriterDoesNotStarveBehindReaders() {
    Request reader = read();
    granted(reader);
    Request writer = queued(write(), LONG);
    taken(writer);

    taken(read());
    Request late = queued(read(), LONG);
    taken(late);
    store.release(hold(reader), null);
    taken(late);
    granted(writer);
    taken(late);
    store.release(hold(writer), null);
    granted(late);
  }

  @Test
  void noMorePermitsAreGivenThanThereAre() {
    Request one = permit(1, LONG);
    Request two = permit(2, LONG);
    granted(one);
    granted(two);
    taken(permit(1, LONG));

    store.release(hold(two), null);
    granted(permit(1, LONG));
    taken(permit(2, LONG));
    granted(permit(1, LONG));
  }

  @Test
  void expiredSharedLeaseStaysExpired() {
    Request brief = permit(3, SHORT);
    long token = granted(brief);

    await("it must run out", () -> isFree(brief.key()));

    assertThat(store.renew(hold(brief), LONG)).isEqualTo(Lease.RenewResult.LOST);
    assertThat(store.release(hold(brief), null)).isInstanceOf(ReleaseResult.Lost.class);
    assertThat(granted(permit(3, LONG))).isGreaterThan(token);
  }

  @Test
  void aSharedLeaseIsRenewedByItsOwnerOnly() {
    Request brief = permit(3, Duration.ofSeconds(30));
    granted(brief);

    assertThat(store.renew(hold(permit(3, LONG)), LONG)).isEqualTo(Lease.RenewResult.LOST);
    assertThat(store.renew(hold(brief), LONG)).isEqualTo(Lease.RenewResult.RENEWED);

    LeaseRecord.Holder holder = store.find(brief.key()).orElseThrow().holders().get(0);
    assertThat(holder.remaining()).isGreaterThan(Duration.ofSeconds(30));
    assertThat(holder.permits()).isEqualTo(3);
  }

  @Test
  void anAcquisitionThatIsRepeatedCountsOnce() {
    Request one = permit(2, LONG);
    long token = granted(one);

    assertThat(granted(one)).isEqualTo(token);
    granted(permit(1, LONG));
  }

  @Test
  void theQueueIsInTheOrderOfArrival() {
    for (Target target :
        List.of(Target.exclusive("q"), Target.write("q"), Target.permits("q", 1, 1))) {
      Request holder = request(target, "a#1", LONG);
      Request first = queued(request(target, "b#2", LONG), LONG);
      Request second = queued(request(target, "c#3", LONG), LONG);
      granted(holder);
      taken(first);
      taken(second);
      assertThat(store.find(target.key()).orElseThrow().waiters())
          .extracting(LeaseRecord.Waiter::instanceName)
          .containsExactly("b#2", "c#3");

      store.release(hold(holder), null);
      taken(second);
      taken(first.key().kind() == LeaseKey.exclusive("q").kind() ? second : without(second));
      granted(first);
      store.release(hold(first), null);
      granted(second);
    }
  }

  private static Request without(Request queued) {
    return request(queued.target(), queued.instanceName(), queued.duration());
  }

  /** So that it is told of the release. */
  @Test
  void queuedGrantKeepsOutsideWaiter() {
    Target target = Target.exclusive("q");
    Request gone = request(target, "c#3", SHORT);
    granted(gone);
    Request outside = waiting(request(target, "b#2", LONG));
    taken(outside);
    await("it must run out", () -> isFree(target.key()));

    Request first = queued(request(target, "a#1", LONG), LONG);
    granted(first);
    assertThat(store.find(target.key()).orElseThrow().waiters())
        .extracting(LeaseRecord.Waiter::instanceName)
        .containsExactly("b#2");
  }

  /** Its answer may have been lost. */
  @Test
  void aReleaseThatIsRepeatedAnswersTheSame() {
    for (Target target :
        List.of(Target.exclusive("x"), Target.read("x"), Target.permits("x", 1, 2))) {
      Request one = request(target, "a#1", LONG);
      granted(one);
      assertThat(store.release(hold(one), null)).isInstanceOf(ReleaseResult.Released.class);
      assertThat(store.release(hold(one), null)).isInstanceOf(ReleaseResult.Released.class);

      Request forced = request(target, "a#1", LONG);
      granted(forced);
      assertThat(store.forceRelease(target.key())).isPresent();
      assertThat(store.release(hold(forced), null)).isInstanceOf(ReleaseResult.Lost.class);
      granted(request(target, "b#2", LONG));
      assertThat(store.release(hold(forced), null)).isInstanceOf(ReleaseResult.Lost.class);
    }
  }

  @Test
  void onePlaceInTheQueueIsGivenUpByItsOwner() {
    Target target = Target.exclusive("q");
    Request holder = request(target, "a#1", LONG);
    Request first = queued(request(target, "b#2", LONG), LONG);
    Request second = queued(request(target, "c#3", LONG), LONG);
    granted(holder);
    taken(first);
    taken(second);

    assertThat(store.release(hold(first), null)).isInstanceOf(ReleaseResult.Lost.class);
    store.release(hold(holder), null);

    granted(second);
  }

  @Test
  void queueEntryOfDeadWaiterExpires() {
    Target target = Target.permits("q", 1, 1);
    Request holder = request(target, "a#1", LONG);
    Request dead = queued(request(target, "b#2", LONG), SHORT);
    Request second = queued(request(target, "c#3", LONG), LONG);
    granted(holder);
    taken(dead);
    assertThat(taken(second).untilChange()).isLessThanOrEqualTo(SHORT);
    store.release(hold(holder), null);

    await("the place must run out", () -> store.acquire(second) instanceof AcquireResult.Granted);
  }

  @Test
  void forceReleaseEndsSharedLease() {
    Request one = read();
    Request two = read();
    granted(one);
    long token = granted(two);

    long raised = store.forceRelease(one.key()).orElseThrow();

    assertThat(raised).isGreaterThan(token);
    assertThat(store.renew(hold(one), LONG)).isEqualTo(Lease.RenewResult.LOST);
    assertThat(store.release(hold(two), null)).isInstanceOf(ReleaseResult.Lost.class);
    assertThat(granted(write())).isGreaterThan(raised);
  }

  @Test
  void manyAtOnceNeverHaveMoreThanThereIs() {
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    ConcurrentActors.run(
            8,
            index -> {
              int rounds = 0;
              while (rounds < 12) {
                Request request = permit(1, LONG);
                if (store.acquire(request) instanceof AcquireResult.Granted) {
                  most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                  rounds++;
                  inside.decrementAndGet();
                  store.release(hold(request), null);
                }
              }
              return rounds;
            })
        .resultsOrThrow();
    assertThat(most.get()).isLessThanOrEqualTo(3);
    assertThat(isFree(LeaseKey.semaphore("x"))).isTrue();
  }
}
