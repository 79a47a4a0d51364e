package dev.holdfast.webhook;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TargetGateTest {
  private static final long MIB = 1024 * 1024;

  private final AtomicLong nanos = new AtomicLong();
  private final TargetGate gate = gate(2000, 64);

  private TargetGate gate(int places, int perTarget) {
    return gate(places, perTarget, 64 * MIB);
  }

  private TargetGate gate(int places, int perTarget, long maxBytes) {
    return new TargetGate(
        places,
        maxBytes,
        TargetGateOptions.ofDefaults().maxConcurrency(perTarget),
        Runnable::run,
        nanos::get,
        () -> 0.5);
  }

  private static TargetGate.@Nullable Permit tryEnter(TargetGate gate, Target target, int size) {
    return gate.tryEnter(target, size) instanceof TargetGate.Admission.Admitted admitted
        ? admitted.permit()
        : null;
  }

  private static TargetGate.Permit enter(TargetGate gate, Target target) {
    return requireNonNull(tryEnter(gate, target, 0));
  }

  private static Attempt attempt() {
    return new Attempt(
        Instant.EPOCH,
        Duration.ZERO,
        Optional.empty(),
        OptionalInt.of(200),
        "",
        Optional.empty(),
        new Attempt.Result.Success());
  }

  private static Target target(int number) {
    return new Target("https", "t" + number + ".test", 443);
  }

  private int takeAll(TargetGate from, Target target) {
    int taken = 0;
    while (tryEnter(from, target, 0) != null) {
      taken++;
    }
    return taken;
  }

  @Test
  void admitsUpToMaxConcurrencyOfOneTarget() {
    assertThat(takeAll(gate, target(1))).isEqualTo(64);
  }

  @Test
  void thousandBusyTargetsLeavePlacesForAnother() {
    for (int round = 0; round < 64; round++) {
      for (int i = 0; i < 1000; i++) {
        tryEnter(gate, target(i), 0);
      }
    }
    assertThat(gate.inFlight()).isBetween(1000, 1990);
    assertThat(tryEnter(gate, target(5000), 0)).isNotNull();
  }

  @Test
  void admitsSmallBodiesBesideLargeOnes() {
    TargetGate little = gate(2000, 64, MIB);
    assertThat(tryEnter(little, target(1), (int) MIB)).isNotNull();
    assertThat(tryEnter(little, target(2), (int) MIB)).isNull();
    assertThat(tryEnter(little, target(2), 100)).isNotNull();
  }

  @Test
  void limitsSlowTargetsToHalfOfThePlaces() {
    TargetGate few = gate(100, 64);
    for (int i = 0; i < 200; i++) {
      TargetGate.Permit slot = enter(few, target(i));
      nanos.addAndGet(Duration.ofSeconds(5).toNanos());
      slot.complete(attempt());
    }
    for (int i = 0; i < 200; i++) {
      tryEnter(few, target(i), 0);
    }
    assertThat(few.inFlight()).isEqualTo(50);
    assertThat(tryEnter(few, target(5000), 0)).isNotNull();
  }

  @Test
  void reservesQuarterForQuickTargets() {
    enter(gate, target(1)).complete(attempt());
    for (int i = 100; i < 2600; i++) {
      tryEnter(gate, target(i), 0);
    }
    assertThat(gate.inFlight()).isEqualTo(1500);
    assertThat(takeAll(gate, target(1))).isGreaterThan(15);
  }

  @Test
  void longCallInFlightMarksTargetSlow() {
    TargetGate few = gate(100, 64);
    for (int i = 0; i < 100; i++) {
      enter(few, target(i)).complete(attempt());
    }
    for (int i = 0; i < 50; i++) {
      assertThat(tryEnter(few, target(i), 0)).isNotNull();
    }
    nanos.addAndGet(Duration.ofSeconds(2).toNanos());
    for (int i = 0; i < 50; i++) {
      assertThat(tryEnter(few, target(i), 0)).as("slow targets have half of the places").isNull();
    }
    for (int i = 50; i < 95; i++) {
      assertThat(tryEnter(few, target(i), 0)).as("target %d is quick", i).isNotNull();
    }
  }

  @Test
  void defersSlowTargetsByTheirThroughput() {
    List<TargetGate.Permit> taken = new ArrayList<>();
    for (int i = 0; i < 1500; i++) {
      taken.add(requireNonNull(tryEnter(gate, target(i), 0)));
    }
    nanos.addAndGet(Duration.ofSeconds(30).toNanos());
    taken.forEach(slot -> slot.complete(attempt()));
    for (int i = 0; i < 1500; i++) {
      tryEnter(gate, target(i), 0);
    }
    assertThat(gate.inFlight()).isEqualTo(1000);
    Duration last = Duration.ZERO;
    for (int i = 0; i < 2000; i++) {
      last = gate.delay(target(1000 + i % 500));
    }
    // 2,000 of 30 s each, a thousand at a time
    assertThat(last).isBetween(Duration.ofSeconds(50), Duration.ofSeconds(70));
  }

  @Test
  void quickCallEndsSlowState() {
    TargetGate two = gate(2, 2);
    TargetGate.Permit slow = enter(two, target(1));
    nanos.addAndGet(Duration.ofSeconds(5).toNanos());
    slow.complete(attempt());
    TargetGate.Permit quick = enter(two, target(1));
    assertThat(tryEnter(two, target(1), 0)).isNull();
    quick.complete(attempt());
    assertThat(tryEnter(two, target(1), 0)).isNotNull();
  }

  @Test
  void limitsBodiesInFlight() {
    int size = (int) (10 * MIB);
    List<TargetGate.Permit> taken = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      taken.add(requireNonNull(tryEnter(gate, target(i), size)));
    }
    assertThat(tryEnter(gate, target(7), size)).isNull();
    assertThat(tryEnter(gate, target(8), 100)).isNotNull();
    taken.get(0).complete(attempt());
    taken.get(0).complete(attempt());
    assertThat(tryEnter(gate, target(7), size)).isNotNull();
    assertThat(tryEnter(gate, target(9), size)).isNull();
  }

  @Test
  void admitsOversizedBodyAlone() {
    assertThat(tryEnter(gate, target(1), (int) (100 * MIB))).isNotNull();
    assertThat(tryEnter(gate, target(2), 5000)).isNull();
  }

  @Test
  void delayGrowsWithWaitingCalls() {
    TargetGate.Permit slot = enter(gate, target(1));
    nanos.addAndGet(Duration.ofSeconds(64).toNanos());
    slot.complete(attempt());
    Duration first = gate.delay(target(1));
    Duration last = first;
    for (int i = 0; i < 100; i++) {
      last = gate.delay(target(1));
    }
    assertThat(first).isLessThan(Duration.ofSeconds(1));
    assertThat(last).isGreaterThan(Duration.ofSeconds(15));
    for (int i = 0; i < 100_000; i++) {
      last = gate.delay(target(1));
      assertThat(last).isLessThanOrEqualTo(Duration.ofMinutes(5));
    }
    assertThat(gate.delay(target(2))).isLessThan(Duration.ofSeconds(1));
  }

  @Test
  void admitsQueuedCallsInOrder() {
    TargetGate one = gate(8, 1);
    TargetGate.Permit first = enter(one, target(1));
    List<Integer> turns = new ArrayList<>();
    List<TargetGate.Permit> given = new ArrayList<>();
    // nothing is known of the target yet: a quarter of the places
    assertThat(enter(one, target(1), 0, new QueuedCall(0, turns, given))).isTrue();
    assertThat(enter(one, target(1), 0, new QueuedCall(1, turns, given))).isTrue();
    assertThat(enter(one, target(1), 0, new QueuedCall(2, turns, given))).isFalse();
    nanos.addAndGet(Duration.ofMillis(100).toNanos());
    first.complete(attempt());
    // it takes 20 ms, as far as is known: two hundred get done in four seconds
    for (int i = 2; i < 300; i++) {
      enter(one, target(1), 0, new QueuedCall(i, turns, given));
    }
    for (int i = 0; i < given.size(); i++) {
      given.get(i).close();
    }
    assertThat(turns).hasSize(201).isSorted();
    assertThat(one.inFlight()).isZero();
  }

  @Test
  void slowTargetHasNoQueue() {
    TargetGate one = gate(100, 1);
    TargetGate.Permit slow = enter(one, target(1));
    List<Integer> turns = new ArrayList<>();
    List<TargetGate.Permit> given = new ArrayList<>();
    assertThat(enter(one, target(1), 0, new QueuedCall(0, turns, given))).isTrue();
    nanos.addAndGet(Duration.ofSeconds(5).toNanos());
    slow.complete(attempt());
    assertThat(turns).as("deferred").containsExactly(0);
    assertThat(given).isEmpty();
    assertThat(tryEnter(one, target(1), 0)).isNotNull();
    assertThat(enter(one, target(1), 0, new QueuedCall())).isFalse();
  }

  @Test
  void countsBodiesOfQueuedCalls() {
    TargetGate ten = gate(40, 1);
    for (int i = 0; i < 5; i++) {
      assertThat(tryEnter(ten, target(i), 0)).isNotNull();
      assertThat(enter(ten, target(i), (int) (12 * MIB), new QueuedCall())).isTrue();
    }
    assertThat(tryEnter(ten, target(7), (int) (12 * MIB))).as("60 MiB wait").isNull();
  }

  @Test
  void defersQueueIfNoCallIsInFlight() {
    TargetGate few = gate(4, 4);
    TargetGate.Permit own = enter(few, target(1));
    List<Integer> turns = new ArrayList<>();
    List<TargetGate.Permit> given = new ArrayList<>();
    while (tryEnter(few, target(2), 0) != null) {
      // takes what is left
    }
    for (int i = 3; few.inFlight() < 4; i++) {
      tryEnter(few, target(i), 0);
    }
    assertThat(enter(few, target(1), 0, new QueuedCall(0, turns, given))).isTrue();
    own.close();
    assertThat(turns).containsExactly(0);
    given.forEach(slot -> slot.close());
  }

  @Test
  void unusedPermitsDoNotLeakQueuePlaces() {
    TargetGate one = gate(8, 1);
    for (int i = 0; i < 20; i++) {
      TargetGate.Permit first = enter(one, target(i));
      List<TargetGate.Permit> given = new ArrayList<>();
      assertThat(enter(one, target(i), 0, new QueuedCall(i, new ArrayList<>(), given)))
          .as("the line of the target %s", i)
          .isTrue();
      // such as when the worker has lost its lease, and all calls are cancelled
      first.close();
      given.forEach(slot -> slot.close());
    }
    assertThat(one.inFlight()).isZero();
  }

  /** Whether the call was admitted or queued. */
  private static boolean enter(TargetGate gate, Target target, int size, QueuedCall call) {
    gate.enter(target, size, call);
    call.entered = true;
    return !call.deferredAtOnce;
  }

  private static final class QueuedCall implements TargetGate.Listener {
    private final int number;
    private final List<Integer> turns;
    private final List<TargetGate.Permit> given;
    boolean entered;
    boolean deferredAtOnce;

    QueuedCall() {
      this(0, new ArrayList<>(), new ArrayList<>());
    }

    QueuedCall(int number, List<Integer> turns, List<TargetGate.Permit> given) {
      this.number = number;
      this.turns = turns;
      this.given = given;
    }

    @Override
    public void onAdmitted(TargetGate.Permit permit) {
      turns.add(number);
      given.add(permit);
    }

    @Override
    public void onDeferred(Duration delay) {
      if (entered) {
        turns.add(number);
      } else {
        deferredAtOnce = true;
      }
    }
  }
}
