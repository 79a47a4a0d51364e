package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseRecord;
import dev.holdfast.lease.LeaseRequest.Target;
import dev.holdfast.lease.spi.LeaseStore.AcquireResult;
import dev.holdfast.lease.spi.LeaseStore.ReleaseResult;
import dev.holdfast.lease.spi.LeaseStore.Request;
import dev.holdfast.lease.spi.LeaseStore.Successor;
import dev.holdfast.lease.spi.LeaseStore.WaitRegistration;
import dev.holdfast.testing.ConcurrentActors;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Exclusive leases in a store. */
public abstract class LeaseStoreContract extends LeaseTests {
  protected LeaseStoreContract(Supplier<LeaseStoreFixture> places) {
    super(places);
  }

  @Test
  void grantsFreeLeaseAndRejectsOther() {
    Request first = request("x");
    granted(first);

    Duration untilChange = taken(waiting(request("x"))).untilChange();

    assertThat(untilChange).isBetween(LONG.minusMinutes(1), LONG);
    assertThat(store.acquire(request("x"))).isInstanceOf(AcquireResult.Rejected.class);
    assertThat(store.acquire(request("y"))).isInstanceOf(AcquireResult.Granted.class);
  }

  @Test
  void nextTokenAfterReleaseIsGreater() {
    Request first = request("x");
    long token = granted(first);

    assertThat(store.release(hold(first), null)).isInstanceOf(ReleaseResult.Released.class);
    assertThat(isFree(first.key())).isTrue();
    assertThat(granted(request("x"))).isGreaterThan(token);
  }

  @Test
  void tokensAreTheServersTimeInMicroseconds() {
    long token = granted(request("x"));

    long now = System.currentTimeMillis() * 1000;
    assertThat(token).isBetween(now - 600_000_000L, now + 600_000_000L);
  }

  @Test
  void tokensGrowByAtLeastOneHoweverFast() {
    long last = 0;
    for (int i = 0; i < 50; i++) {
      Request request = request("x");
      long token = granted(request);
      assertThat(token).isGreaterThan(last);
      last = token;
      store.release(hold(request), null);
    }
  }

  @Test
  void tokensGrowAcrossTheLossOfEverything() {
    Request first = request("x");
    long token = granted(first);
    store.release(hold(first), null);

    place.loseEverything();

    assertThat(granted(request("x"))).isGreaterThan(token);
  }

  @Test
  void grantsExpiredLeaseWithGreaterToken() {
    Request first = request(Target.exclusive("x"), "a#1", SHORT);
    long token = granted(first);
    AtomicLong next = new AtomicLong();

    await(
        "the lease must run out",
        () -> {
          if (store.acquire(request("x")) instanceof AcquireResult.Granted granted) {
            next.set(granted.token());
          }
          return next.get() > 0;
        });

    assertThat(next.get()).isGreaterThan(token);
    assertThat(store.renew(hold(first), LONG)).isEqualTo(Lease.RenewResult.LOST);
    assertThat(store.release(hold(first), null)).isInstanceOf(ReleaseResult.Lost.class);
    assertThat(isFree(first.key())).isFalse();
  }

  @Test
  void expiredLeaseIsLostIfUntaken() {
    Request first = request(Target.exclusive("x"), "a#1", SHORT);
    granted(first);
    await("the lease must run out", () -> isFree(first.key()));

    assertThat(store.renew(hold(first), LONG)).isEqualTo(Lease.RenewResult.LOST);
    assertThat(isFree(first.key())).as("not brought back").isTrue();
    assertThat(store.release(hold(first), null)).isInstanceOf(ReleaseResult.Lost.class);
  }

  @Test
  void aRenewalProlongsAndKeepsTheToken() {
    Request first = request(Target.exclusive("x"), "a#1", Duration.ofSeconds(30));
    long token = granted(first);

    assertThat(store.renew(hold(first), LONG)).isEqualTo(Lease.RenewResult.RENEWED);

    LeaseRecord.Holder holder = store.find(first.key()).orElseThrow().holders().get(0);
    assertThat(holder.remaining()).isGreaterThan(Duration.ofSeconds(30));
    assertThat(holder.token()).isEqualTo(token);
  }

  @Test
  void aReleasedLeaseCannotBeRenewed() {
    Request first = request("x");
    granted(first);
    store.release(hold(first), null);

    assertThat(store.renew(hold(first), LONG)).isEqualTo(Lease.RenewResult.LOST);
    assertThat(isFree(first.key())).isTrue();
  }

  @Test
  void onlyTheOwnerCanRenewAndRelease() {
    Request first = request("x");
    Request other = request("x");
    granted(first);

    assertThat(store.renew(hold(other), LONG)).isEqualTo(Lease.RenewResult.LOST);
    assertThat(store.release(hold(other), null)).isInstanceOf(ReleaseResult.Lost.class);
    assertThat(isFree(first.key())).isFalse();
    assertThat(store.release(hold(first), null)).isInstanceOf(ReleaseResult.Released.class);
  }

  @Test
  void repeatedAcquireReturnsSameGrant() {
    Request first = request("x");
    long token = granted(first);

    assertThat(granted(first)).isEqualTo(token);
    assertThat(granted(waiting(first))).isEqualTo(token);
  }

  @Test
  void aReleaseThatIsRepeatedAnswersTheSame() {
    Request first = request("x");
    granted(first);
    store.release(hold(first), null);

    assertThat(store.release(hold(first), null)).isInstanceOf(ReleaseResult.Released.class);
  }

  @Test
  void aLeaseIsHandedOverInOneStep() {
    Request first = request("x");
    Request next = request("x");
    long token = granted(first);

    ReleaseResult freed = store.release(hold(first), new Successor(next, false));

    if (freed instanceof ReleaseResult.HandedOver handed) {
      assertThat(handed.token()).isGreaterThan(token);
      assertThat(granted(next)).isEqualTo(handed.token());
    } else {
      assertThat(freed).isInstanceOf(ReleaseResult.Released.class);
      granted(next);
    }
    assertThat(store.renew(hold(first), LONG)).isEqualTo(Lease.RenewResult.LOST);
    assertThat(store.renew(hold(next), LONG)).isEqualTo(Lease.RenewResult.RENEWED);
  }

  @Test
  void aLeaseThatIsLostIsNotHandedOver() {
    Request first = request("x");
    Request thief = request("x");
    granted(first);
    store.forceRelease(first.key());
    granted(thief);

    ReleaseResult freed = store.release(hold(first), new Successor(request("x"), false));

    assertThat(freed).isInstanceOf(ReleaseResult.Lost.class);
    assertThat(store.renew(hold(thief), LONG)).isEqualTo(Lease.RenewResult.RENEWED);
  }

  @Test
  void offersLeaseToOtherProcess() {
    Request first = request("x");
    granted(first);
    taken(waiting(request(Target.exclusive("x"), "b#2", LONG)));

    ReleaseResult freed = store.release(hold(first), new Successor(request("x"), true));

    assertThat(freed).isInstanceOf(ReleaseResult.Released.class);
    assertThat(isFree(first.key())).isTrue();
  }

  @Test
  void handsOverInsideProcess() {
    Request first = request("x");
    Request next = request("x");
    granted(first);
    taken(waiting(next));

    ReleaseResult freed = store.release(hold(first), new Successor(next, true));

    assertThat(freed).isNotInstanceOf(ReleaseResult.Lost.class);
    granted(next);
  }

  @Test
  void namesAreComparedCharacterByCharacter() {
    List<String> names =
        List.of(
            "a",
            "A",
            "a ",
            " a",
            "ä",
            "a\u0308",
            "a\t",
            "a\n",
            "%",
            "_",
            "'",
            "\"",
            "{a}",
            "a|b",
            "\ud83d\ude00",
            "*",
            "a:b:c",
            "\u00df",
            "ss",
            "\u0130",
            "i",
            "\u200b",
            "\uffff",
            "x".repeat(LeaseKey.MAX_NAME_LENGTH),
            "\ud83d\ude00".repeat(LeaseKey.MAX_NAME_LENGTH / 2));
    for (String name : names) {
      granted(request(name));
    }
    for (String name : names) {
      taken(request(name));
      LeaseRecord found = store.find(LeaseKey.exclusive(name)).orElseThrow();
      assertThat(found.key().name()).isEqualTo(name);
    }
  }

  @Test
  void forceReleaseRaisesToken() {
    Request first = request("x");
    long token = granted(first);

    OptionalLong raised = store.forceRelease(first.key());

    assertThat(raised.orElseThrow()).isGreaterThan(token);
    assertThat(store.renew(hold(first), LONG)).isEqualTo(Lease.RenewResult.LOST);
    assertThat(store.release(hold(first), null)).isInstanceOf(ReleaseResult.Lost.class);
    assertThat(granted(request("x"))).isGreaterThan(raised.orElseThrow());
    assertThat(store.forceRelease(LeaseKey.exclusive("nobody's"))).isEmpty();
  }

  @Test
  void ofManyAtOnceOneIsGranted() {
    for (int round = 0; round < 10; round++) {
      String name = "x" + round;
      List<AcquireResult> answers =
          ConcurrentActors.run(8, index -> place.open().acquire(request(name))).resultsOrThrow();
      assertThat(answers).filteredOn(AcquireResult.Granted.class::isInstance).hasSize(1);
    }
  }

  @Test
  void isLinearizable() {
    AtomicLong inside = new AtomicLong();
    List<List<Long>> tokens =
        ConcurrentActors.run(
                8,
                index -> {
                  List<Long> mine = new ArrayList<>();
                  while (mine.size() < 25) {
                    Request request = request("x");
                    if (store.acquire(request) instanceof AcquireResult.Granted granted) {
                      assertThat(inside.incrementAndGet()).isEqualTo(1);
                      mine.add(granted.token());
                      inside.decrementAndGet();
                      assertThat(store.release(hold(request), null))
                          .isInstanceOf(ReleaseResult.Released.class);
                    }
                  }
                  return mine;
                })
            .resultsOrThrow();
    assertThat(tokens.stream().flatMap(List::stream)).doesNotHaveDuplicates().hasSize(200);
    tokens.forEach(mine -> assertThat(mine).isSorted());
  }

  @Test
  void whatIsHeldIsListed() {
    IntStream.range(0, 5).forEach(i -> granted(request("a" + i)));
    Request released = request("a9");
    granted(released);
    store.release(hold(released), null);
    granted(request("b%_!"));

    assertThat(store.list("a", null, 10))
        .extracting(record -> record.key().name())
        .containsExactly("a0", "a1", "a2", "a3", "a4");
    assertThat(store.list("a", LeaseKey.exclusive("a1"), 2))
        .extracting(record -> record.key().name())
        .containsExactly("a2", "a3");
    assertThat(store.list("b%_!", null, 10)).hasSize(1);
    assertThat(store.list("%", null, 10)).isEmpty();
    assertThat(store.list("", null, 10)).hasSize(6);
  }

  @Test
  void listsHoldersAndWaiters() {
    Request first = request("x");
    long token = granted(first);
    Duration mark = LONG.dividedBy(5);
    Request waiter = request(Target.exclusive("x"), "b#2", LONG);
    taken(
        new Request(
            waiter.target(),
            waiter.ownerId(),
            waiter.instanceName(),
            waiter.duration(),
            new WaitRegistration(mark, false)));

    LeaseRecord record = store.list("x", null, 10).get(0);

    assertThat(record.token()).isEqualTo(token);
    assertThat(record.holders()).hasSize(1);
    assertThat(record.holders().get(0).instanceName()).isEqualTo("a#1");
    assertThat(record.holders().get(0).permits()).isEqualTo(1);
    assertThat(record.holders().get(0).remaining()).isBetween(LONG.minusMinutes(1), LONG);
    assertThat(record.waiters())
        .singleElement()
        .satisfies(one -> assertThat(one.remaining()).isBetween(mark.minusMinutes(1), mark));
  }

  @Test
  void whatIsInUseIsNotForgotten() {
    Request first = request("x");
    long token = granted(first);

    store.prune(Duration.ofDays(1));

    assertThat(granted(first)).isEqualTo(token);
    store.release(hold(first), null);
    store.prune(Duration.ofDays(1));
    assertThat(granted(request("x"))).isGreaterThan(token);
  }

  @Test
  void yieldingWaiterStaysQueued() {
    Request holder = request("x");
    Request waiter = waiting(request(Target.exclusive("x"), "b#2", LONG));
    granted(holder);
    taken(waiter);
    store.release(hold(holder), new Successor(request("x"), true));
    granted(waiter);

    ReleaseResult freed =
        store.release(
            hold(waiter), new Successor(request(Target.exclusive("x"), "b#2", LONG), true));

    assertThat(freed).isInstanceOf(ReleaseResult.Released.class);
    await("it must be free", () -> store.acquire(request("x")) instanceof AcquireResult.Granted);
  }
}
