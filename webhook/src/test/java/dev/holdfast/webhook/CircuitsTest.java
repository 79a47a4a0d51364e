package dev.holdfast.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CircuitsTest {
  private static final Target TARGET = new Target("https", "x.test", 443);
  private static final Target OTHER = new Target("https", "y.test", 443);
  private static final CircuitSettings SETTINGS =
      CircuitSettings.standard()
          .failures(3)
          .pause(Duration.ofSeconds(8), Duration.ofSeconds(30))
          .probeLimit(Duration.ofMinutes(1))
          .concurrent(5);

  /** Near where nanoTime overflows, which it may do at any time. */
  private long now = Long.MAX_VALUE - Duration.ofSeconds(5).toNanos();

  private double random = 1;
  private Circuits circuits = new Circuits(SETTINGS, () -> now, () -> random);

  @Test
  void letsCallsThroughWhileATargetIsWell() {
    for (int i = 0; i < 100; i++) {
      go(TARGET).ended(answered(200));
    }
    assertThat(circuits.isOpen(TARGET)).isFalse();
  }

  @Test
  void opensAfterFailuresInARowAndOnlyForTheirTarget() {
    fail(2);
    assertThat(circuits.isOpen(TARGET)).isFalse();
    fail(1);
    assertThat(circuits.isOpen(TARGET)).isTrue();
    assertThat(delayed(TARGET).reason()).isEqualTo("the target is failing");
    go(OTHER).close();
  }

  @Test
  void doesNotOpenWhereASuccessIsBetween() {
    for (int i = 0; i < 20; i++) {
      fail(2);
      go(TARGET).ended(answered(204));
    }
    assertThat(circuits.isOpen(TARGET)).isFalse();
  }

  @Test
  void saysHowLongToWaitAndThenLetsOneThrough() {
    fail(3);
    Duration delay = delayed(TARGET).delay();
    assertThat(delay).isBetween(Duration.ofSeconds(8), Duration.ofMillis(8200));
    pass(Duration.ofSeconds(8).minusNanos(1));
    assertThat(delayed(TARGET).delay()).isPositive();
    pass(Duration.ofNanos(1));
    Permit probe = go(TARGET);
    assertThat(delayed(TARGET).reason()).isEqualTo("the target is being tried");
    probe.ended(answered(200));
    assertThat(circuits.isOpen(TARGET)).isFalse();
    go(TARGET).close();
  }

  @Test
  void pausesLongerEachTimeUpToTheLongest() {
    fail(3);
    for (int seconds : new int[] {8, 16, 30, 30}) {
      assertThat(delayed(TARGET).delay()).isGreaterThanOrEqualTo(Duration.ofSeconds(seconds));
      pass(Duration.ofSeconds(seconds));
      go(TARGET).ended(noAnswer());
    }
    pass(Duration.ofSeconds(30));
    go(TARGET).ended(answered(200));
    fail(3);
    pass(Duration.ofSeconds(8));
    go(TARGET).close();
  }

  @Test
  void spreadsThePauses() {
    random = 0;
    fail(3);
    pass(Duration.ofSeconds(4));
    go(TARGET).close();
  }

  @Test
  void tellsThoseWhoWaitDifferentTimes() {
    fail(3);
    random = 0;
    Duration first = delayed(TARGET).delay();
    random = 0.5;
    assertThat(delayed(TARGET).delay()).isGreaterThan(first);
  }

  @Test
  void goesOnWhereTheOneThatTriesIsNeverHeardOf() {
    fail(3);
    pass(Duration.ofSeconds(8));
    go(TARGET);
    pass(Duration.ofSeconds(59));
    assertThat(delayed(TARGET)).isNotNull();
    pass(Duration.ofSeconds(1));
    go(TARGET).ended(answered(200));
    assertThat(circuits.isOpen(TARGET)).isFalse();
  }

  @Test
  void letsAnotherTryWhereTheOneThatWasToHasNotCalled() {
    fail(3);
    pass(Duration.ofSeconds(8));
    go(TARGET).close();
    go(TARGET).close();
    assertThat(circuits.isOpen(TARGET)).isTrue();
  }

  @Test
  void lateFailuresDoNotMakeThePauseLonger() {
    List<Permit> underWay = List.of(go(TARGET), go(TARGET));
    fail(3);
    underWay.forEach(permit -> permit.ended(noAnswer()));
    pass(Duration.ofSeconds(8));
    go(TARGET).close();
  }

  @Test
  void aLateSuccessEndsThePause() {
    Permit underWay = go(TARGET);
    fail(3);
    underWay.ended(answered(200));
    go(TARGET).close();
  }

  @Test
  void takesForFailuresWhatSaysThatTheTargetIsIll() {
    assertThat(Permit.healthy(noAnswer())).isFalse();
    for (int status : new int[] {429, 500, 502, 503, 504}) {
      assertThat(Permit.healthy(answered(status))).as("%d", status).isFalse();
    }
    for (int status : new int[] {200, 302, 400, 401, 404, 410, 422}) {
      assertThat(Permit.healthy(answered(status))).as("%d", status).isTrue();
    }
    // 200, and then nothing more
    assertThat(Permit.healthy(attempt(OptionalInt.of(200), retry(), "not complete"))).isFalse();
    // the guard's refusal says nothing of the target
    assertThat(Permit.healthy(attempt(OptionalInt.empty(), new Verdict.End(), "refused"))).isNull();
  }

  @Test
  void limitsTheCallsAtATime() {
    List<Permit> five = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      five.add(go(TARGET));
    }
    assertThat(delayed(TARGET).reason()).isEqualTo("the target has its calls at a time");
    assertThat(delayed(TARGET).delay()).isPositive();
    go(OTHER).close();
    five.get(0).close();
    five.get(0).close();
    go(TARGET);
    assertThat(delayed(TARGET)).isNotNull();
  }

  @Test
  void limitsTheCallsPerSecondAndGivesEachItsOwnTime() {
    circuits = new Circuits(SETTINGS.perSecond(2), () -> now, () -> random);
    go(TARGET).close();
    go(TARGET).close();
    assertThat(delayed(TARGET).delay()).isEqualTo(Duration.ofMillis(500));
    assertThat(delayed(TARGET).delay()).isEqualTo(Duration.ofSeconds(1));
    assertThat(delayed(TARGET).reason()).isEqualTo("the target has its calls per second");
    go(OTHER).close();
    pass(Duration.ofMillis(500));
    go(TARGET).close();
    delayed(TARGET);
    pass(Duration.ofSeconds(10));
    int admitted = 0;
    while (circuits.admit(TARGET) instanceof Admission.Go go) {
      go.permit().close();
      admitted++;
    }
    assertThat(admitted).isEqualTo(2);
  }

  @Test
  void neverSaysToWaitLongerThanAMinuteForTheRate() {
    circuits = new Circuits(SETTINGS.perSecond(1), () -> now, () -> random);
    go(TARGET).close();
    for (int i = 0; i < 1000; i++) {
      assertThat(delayed(TARGET).delay()).isBetween(Duration.ofMillis(1), Duration.ofMinutes(1));
    }
  }

  @Test
  void remembersNoMoreTargetsThanItMay() {
    circuits = new Circuits(SETTINGS.targets(100), () -> now, () -> random);
    Permit underWay = go(TARGET);
    for (int i = 0; i < 1000; i++) {
      go(new Target("http", "h" + i + ".test", 80)).close();
    }
    assertThat(circuits.remembered()).isEqualTo(100);
    // the one with a call under way was passed over
    for (int i = 0; i < 4; i++) {
      go(TARGET);
    }
    assertThat(delayed(TARGET)).isNotNull();
    underWay.ended(answered(200));
  }

  @Test
  void remembersNoMoreAlsoWhereAllHaveCallsUnderWay() {
    circuits = new Circuits(SETTINGS.targets(40), () -> now, () -> random);
    List<Permit> permits = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      permits.add(go(new Target("http", "h" + i + ".test", 80)));
    }
    assertThat(circuits.remembered()).isEqualTo(40);
    permits.forEach(Permit::close);
  }

  @Test
  void ofManyWhoAskAtOnceOneTries() throws Exception {
    fail(3);
    pass(Duration.ofSeconds(8));
    AtomicInteger tried = new AtomicInteger();
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      CountDownLatch begin = new CountDownLatch(1);
      List<Future<?>> asked = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        asked.add(
            threads.submit(
                () -> {
                  begin.await();
                  if (circuits.admit(TARGET) instanceof Admission.Go) {
                    tried.incrementAndGet();
                  }
                  return null;
                }));
      }
      begin.countDown();
      for (Future<?> one : asked) {
        one.get();
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(tried).hasValue(1);
  }

  private void fail(int times) {
    for (int i = 0; i < times; i++) {
      go(TARGET).ended(noAnswer());
    }
  }

  private void pass(Duration time) {
    now += time.toNanos();
  }

  private Permit go(Target target) {
    Admission admission = circuits.admit(target);
    if (admission instanceof Admission.Go go) {
      return go.permit();
    }
    throw new AssertionError("expected to go, was " + admission);
  }

  private Admission.Wait delayed(Target target) {
    Admission admission = circuits.admit(target);
    if (admission instanceof Admission.Wait wait) {
      return wait;
    }
    throw new AssertionError("expected to wait, was " + admission);
  }

  private static Verdict retry() {
    return new Verdict.Retry(Optional.empty());
  }

  private static Attempt noAnswer() {
    return attempt(OptionalInt.empty(), retry(), "no answer within 10 s");
  }

  private static Attempt answered(int status) {
    return status < 300
        ? new Attempt(
            Instant.EPOCH,
            Duration.ZERO,
            Optional.empty(),
            OptionalInt.of(status),
            "",
            Optional.empty(),
            new Verdict.Success())
        : attempt(OptionalInt.of(status), retry(), "the target has answered " + status);
  }

  private static Attempt attempt(OptionalInt status, Verdict verdict, String error) {
    return new Attempt(
        Instant.EPOCH, Duration.ZERO, Optional.empty(), status, "", Optional.of(error), verdict);
  }
}
