package dev.holdfast.webhook;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SlotsTest {
  private static final long MIB = 1024 * 1024;

  private final AtomicLong nanos = new AtomicLong();
  private final Slots slots = slots(2000, 64);

  private Slots slots(int places, int perTarget) {
    return new Slots(places, perTarget, 64 * MIB, Runnable::run, nanos::get, () -> 0.5);
  }

  private static Target target(int number) {
    return new Target("https", "t" + number + ".test", 443);
  }

  private int takeAll(Slots from, Target target) {
    int taken = 0;
    while (from.tryTake(target, 0) != null) {
      taken++;
    }
    return taken;
  }

  @Test
  void oneTargetAloneGetsItsLimit() {
    assertThat(takeAll(slots, target(1))).isEqualTo(64);
  }

  @Test
  void aThousandGreedyTargetsLeavePlacesForAnother() {
    for (int round = 0; round < 64; round++) {
      for (int i = 0; i < 1000; i++) {
        slots.tryTake(target(i), 0);
      }
    }
    assertThat(slots.underWay()).isBetween(1000, 1990);
    assertThat(slots.tryTake(target(5000), 0)).isNotNull();
  }

  @Test
  void largeBodiesDoNotHoldUpSmallOnes() {
    Slots little = new Slots(2000, 64, MIB, Runnable::run, nanos::get, () -> 0.5);
    assertThat(little.tryTake(target(1), (int) MIB)).isNotNull();
    assertThat(little.tryTake(target(2), (int) MIB)).isNull();
    assertThat(little.tryTake(target(2), 100)).isNotNull();
  }

  @Test
  void slowTargetsTogetherGetHalfHoweverManyTheyAre() {
    Slots few = slots(100, 64);
    for (int i = 0; i < 200; i++) {
      Slots.Slot slot = requireNonNull(few.tryTake(target(i), 0));
      nanos.addAndGet(Duration.ofSeconds(5).toNanos());
      slot.giveBack(true);
    }
    for (int i = 0; i < 200; i++) {
      few.tryTake(target(i), 0);
    }
    assertThat(few.underWay()).isEqualTo(50);
    assertThat(few.tryTake(target(5000), 0)).isNotNull();
  }

  @Test
  void manyUnknownTargetsLeaveAQuarterForOneThatAnswersQuickly() {
    requireNonNull(slots.tryTake(target(1), 0)).giveBack(true);
    for (int i = 100; i < 2600; i++) {
      slots.tryTake(target(i), 0);
    }
    assertThat(slots.underWay()).isEqualTo(1500);
    assertThat(takeAll(slots, target(1))).isGreaterThan(15);
  }

  @Test
  void aCallInFlightForASecondShowsThatItsTargetIsSlow() {
    Slots few = slots(100, 64);
    for (int i = 0; i < 100; i++) {
      requireNonNull(few.tryTake(target(i), 0)).giveBack(true);
    }
    for (int i = 0; i < 50; i++) {
      assertThat(few.tryTake(target(i), 0)).isNotNull();
    }
    nanos.addAndGet(Duration.ofSeconds(2).toNanos());
    for (int i = 0; i < 50; i++) {
      assertThat(few.tryTake(target(i), 0)).as("half of the places are taken").isNull();
    }
    for (int i = 50; i < 95; i++) {
      assertThat(few.tryTake(target(i), 0)).as("target %d is quick", i).isNotNull();
    }
  }

  @Test
  void thoseThatFindNoPlaceAmongTheSlowOnesComeAgainAsFastAsTheseGetDone() {
    List<Slots.Slot> taken = new ArrayList<>();
    for (int i = 0; i < 1500; i++) {
      taken.add(requireNonNull(slots.tryTake(target(i), 0)));
    }
    nanos.addAndGet(Duration.ofSeconds(30).toNanos());
    taken.forEach(slot -> slot.giveBack(true));
    for (int i = 0; i < 1500; i++) {
      slots.tryTake(target(i), 0);
    }
    assertThat(slots.underWay()).isEqualTo(1000);
    Duration last = Duration.ZERO;
    for (int i = 0; i < 2000; i++) {
      last = slots.waiting(target(1000 + i % 500), Duration.ZERO);
    }
    // 2,000 of 30 s each, a thousand at a time
    assertThat(last).isBetween(Duration.ofSeconds(50), Duration.ofSeconds(70));
  }

  @Test
  void aTargetThatIsQuickAgainIsSlowNoMore() {
    Slots two = slots(2, 2);
    Slots.Slot slow = requireNonNull(two.tryTake(target(1), 0));
    nanos.addAndGet(Duration.ofSeconds(5).toNanos());
    slow.giveBack(true);
    Slots.Slot quick = requireNonNull(two.tryTake(target(1), 0));
    assertThat(two.tryTake(target(1), 0)).isNull();
    quick.giveBack(true);
    assertThat(two.tryTake(target(1), 0)).isNotNull();
  }

  @Test
  void theBodiesUnderWayAreBounded() {
    int size = (int) (10 * MIB);
    List<Slots.Slot> taken = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      taken.add(requireNonNull(slots.tryTake(target(i), size)));
    }
    assertThat(slots.tryTake(target(7), size)).isNull();
    assertThat(slots.tryTake(target(8), 100)).isNotNull();
    taken.get(0).giveBack(true);
    taken.get(0).giveBack(true);
    assertThat(slots.tryTake(target(7), size)).isNotNull();
    assertThat(slots.tryTake(target(9), size)).isNull();
  }

  @Test
  void aBodyLargerThanAllTogetherMayBeGoesAlone() {
    assertThat(slots.tryTake(target(1), (int) (100 * MIB))).isNotNull();
    assertThat(slots.tryTake(target(2), 5000)).isNull();
  }

  @Test
  void theMoreWaitForATargetTheLongerTheyWait() {
    Slots.Slot slot = requireNonNull(slots.tryTake(target(1), 0));
    nanos.addAndGet(Duration.ofSeconds(64).toNanos());
    slot.giveBack(true);
    Duration first = slots.waiting(target(1), Duration.ZERO);
    Duration last = first;
    for (int i = 0; i < 100; i++) {
      last = slots.waiting(target(1), Duration.ZERO);
    }
    assertThat(first).isLessThan(Duration.ofSeconds(1));
    assertThat(last).isGreaterThan(Duration.ofSeconds(15));
    for (int i = 0; i < 100_000; i++) {
      last = slots.waiting(target(1), Duration.ZERO);
      assertThat(last).isLessThanOrEqualTo(Duration.ofMinutes(5));
    }
    assertThat(slots.waiting(target(2), Duration.ZERO)).isLessThan(Duration.ofSeconds(1));
    assertThat(slots.waiting(target(2), Duration.ofMinutes(1)))
        .isGreaterThanOrEqualTo(Duration.ofMinutes(1));
  }

  @Test
  void thoseInLineGetThePlacesThatAreGivenBackOneAfterTheOther() {
    Slots one = slots(8, 1);
    Slots.Slot first = requireNonNull(one.tryTake(target(1), 0));
    List<Integer> turns = new ArrayList<>();
    List<Slots.Slot> given = new ArrayList<>();
    // nothing is known of the target yet: a quarter of the places
    assertThat(one.take(target(1), 0, line(0, turns, given))).isTrue();
    assertThat(one.take(target(1), 0, line(1, turns, given))).isTrue();
    assertThat(one.take(target(1), 0, line(2, turns, given))).isFalse();
    nanos.addAndGet(Duration.ofMillis(100).toNanos());
    first.giveBack(true);
    // it takes 20 ms, as far as is known: two hundred get done in four seconds
    for (int i = 2; i < 300; i++) {
      one.take(target(1), 0, line(i, turns, given));
    }
    for (int i = 0; i < given.size(); i++) {
      given.get(i).giveBack(false);
    }
    assertThat(turns).hasSize(201).isSorted();
    assertThat(one.underWay()).isZero();
  }

  @Test
  void aTargetThatIsSlowHasNoLine() {
    Slots one = slots(100, 1);
    Slots.Slot slow = requireNonNull(one.tryTake(target(1), 0));
    List<Integer> turns = new ArrayList<>();
    List<Slots.Slot> given = new ArrayList<>();
    assertThat(one.take(target(1), 0, line(0, turns, given))).isTrue();
    nanos.addAndGet(Duration.ofSeconds(5).toNanos());
    slow.giveBack(true);
    assertThat(turns).as("told to come again").containsExactly(0);
    assertThat(given).isEmpty();
    assertThat(one.tryTake(target(1), 0)).isNotNull();
    assertThat(one.take(target(1), 0, ignored -> {})).isFalse();
  }

  @Test
  void theBodiesOfThoseInLineCount() {
    Slots ten = slots(40, 1);
    for (int i = 0; i < 5; i++) {
      assertThat(ten.tryTake(target(i), 0)).isNotNull();
      assertThat(ten.take(target(i), (int) (12 * MIB), ignored -> {})).isTrue();
    }
    assertThat(ten.tryTake(target(7), (int) (12 * MIB))).as("60 MiB wait").isNull();
  }

  @Test
  void whoWaitsWhereNobodyIsUnderWayAnyMoreIsToldToComeAgain() {
    Slots few = slots(4, 4);
    Slots.Slot own = requireNonNull(few.tryTake(target(1), 0));
    List<Integer> turns = new ArrayList<>();
    List<Slots.Slot> given = new ArrayList<>();
    while (few.tryTake(target(2), 0) != null) {
      // takes what is left
    }
    for (int i = 3; few.underWay() < 4; i++) {
      few.tryTake(target(i), 0);
    }
    assertThat(few.take(target(1), 0, line(0, turns, given))).isTrue();
    own.giveBack(false);
    assertThat(turns).containsExactly(0);
    given.forEach(slot -> slot.giveBack(false));
  }

  @Test
  void callsThatWereNotMadeLeaveTheLinesOfUnknownTargetsAsTheyWere() {
    Slots one = slots(8, 1);
    for (int i = 0; i < 20; i++) {
      Slots.Slot first = requireNonNull(one.tryTake(target(i), 0));
      List<Slots.Slot> given = new ArrayList<>();
      assertThat(one.take(target(i), 0, line(i, new ArrayList<>(), given)))
          .as("the line of the target %s", i)
          .isTrue();
      // such as when the worker has lost its lease, and all calls are cancelled
      first.giveBack(false);
      given.forEach(slot -> slot.giveBack(false));
    }
    assertThat(one.underWay()).isZero();
  }

  private static Slots.Turn line(int number, List<Integer> turns, List<Slots.Slot> given) {
    return slot -> {
      turns.add(number);
      if (slot != null) {
        given.add(slot);
      }
    };
  }
}
