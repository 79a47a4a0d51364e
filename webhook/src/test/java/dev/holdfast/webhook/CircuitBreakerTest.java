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

class CircuitBreakerTest {
  private static final Target TARGET = new Target("https", "x.test", 443);
  private static final Target OTHER = new Target("https", "y.test", 443);
  private static final TargetGateOptions OPTIONS =
      TargetGateOptions.ofDefaults()
          .failureThreshold(3)
          .openTime(Duration.ofSeconds(8), Duration.ofSeconds(30))
          .probeTimeout(Duration.ofMinutes(1))
          .maxConcurrency(5);

  /** Near where nanoTime overflows, which it may do at any time. */
  private long now = Long.MAX_VALUE - Duration.ofSeconds(5).toNanos();

  private double random = 1;
  private TargetGate gate = gate(OPTIONS);

  @Test
  void admitsCallsWhileTargetIsHealthy() {
    for (int i = 0; i < 100; i++) {
      go(TARGET).complete(answered(200));
    }
    assertThat(gate.isOpen(TARGET)).isFalse();
  }

  @Test
  void opensAfterFailuresInARow() {
    fail(2);
    assertThat(gate.isOpen(TARGET)).isFalse();
    fail(1);
    assertThat(gate.isOpen(TARGET)).isTrue();
    assertThat(delayed(TARGET).delay()).isGreaterThanOrEqualTo(Duration.ofSeconds(8));
    go(OTHER).close();
  }

  @Test
  void successResetsFailures() {
    for (int i = 0; i < 20; i++) {
      fail(2);
      go(TARGET).complete(answered(204));
    }
    assertThat(gate.isOpen(TARGET)).isFalse();
  }

  @Test
  void admitsOneProbeAfterOpenTime() {
    fail(3);
    Duration delay = delayed(TARGET).delay();
    assertThat(delay).isBetween(Duration.ofSeconds(8), Duration.ofMillis(8200));
    pass(Duration.ofSeconds(8).minusNanos(1));
    assertThat(delayed(TARGET).delay()).isPositive();
    pass(Duration.ofNanos(1));
    TargetGate.Permit probe = go(TARGET);
    assertThat(delayed(TARGET).delay()).as("while it is probed").isEqualTo(Duration.ofSeconds(8));
    probe.complete(answered(200));
    assertThat(gate.isOpen(TARGET)).isFalse();
    go(TARGET).close();
  }

  @Test
  void doublesOpenTimeUpToMaximum() {
    fail(3);
    for (int seconds : new int[] {8, 16, 30, 30}) {
      assertThat(delayed(TARGET).delay()).isGreaterThanOrEqualTo(Duration.ofSeconds(seconds));
      pass(Duration.ofSeconds(seconds));
      go(TARGET).complete(noAnswer());
    }
    pass(Duration.ofSeconds(30));
    go(TARGET).complete(answered(200));
    fail(3);
    pass(Duration.ofSeconds(8));
    go(TARGET).close();
  }

  @Test
  void addsJitterToOpenTime() {
    random = 0;
    fail(3);
    pass(Duration.ofSeconds(4));
    go(TARGET).close();
  }

  @Test
  void defersCallsByDifferentTimes() {
    fail(3);
    random = 0;
    Duration first = delayed(TARGET).delay();
    random = 0.5;
    assertThat(delayed(TARGET).delay()).isGreaterThan(first);
  }

  @Test
  void probesAgainAfterProbeTimeout() {
    fail(3);
    pass(Duration.ofSeconds(8));
    go(TARGET);
    pass(Duration.ofSeconds(59));
    assertThat(delayed(TARGET)).isNotNull();
    pass(Duration.ofSeconds(1));
    go(TARGET).complete(answered(200));
    assertThat(gate.isOpen(TARGET)).isFalse();
  }

  @Test
  void probesAgainIfProbeWasNotCalled() {
    fail(3);
    pass(Duration.ofSeconds(8));
    go(TARGET).close();
    go(TARGET).close();
    assertThat(gate.isOpen(TARGET)).isTrue();
  }

  @Test
  void lateFailuresDoNotExtendOpenTime() {
    List<TargetGate.Permit> inFlight = List.of(go(TARGET), go(TARGET));
    fail(3);
    inFlight.forEach(permit -> permit.complete(noAnswer()));
    pass(Duration.ofSeconds(8));
    go(TARGET).close();
  }

  @Test
  void lateSuccessClosesCircuit() {
    TargetGate.Permit inFlight = go(TARGET);
    fail(3);
    inFlight.complete(answered(200));
    go(TARGET).close();
  }

  @Test
  void countsFailuresOfTheTarget() {
    assertThat(CircuitBreaker.isHealthy(noAnswer())).isFalse();
    for (int status : new int[] {429, 500, 502, 503, 504}) {
      assertThat(CircuitBreaker.isHealthy(answered(status))).as("%d", status).isFalse();
    }
    for (int status : new int[] {200, 302, 400, 401, 404, 410, 422}) {
      assertThat(CircuitBreaker.isHealthy(answered(status))).as("%d", status).isTrue();
    }
    // 200, and then nothing more
    assertThat(CircuitBreaker.isHealthy(attempt(OptionalInt.of(200), retry(), "not complete")))
        .isFalse();
    // the guard's refusal says nothing of the target
    assertThat(
            CircuitBreaker.isHealthy(
                attempt(OptionalInt.empty(), new Attempt.Result.Fail(), "refused")))
        .isNull();
  }

  @Test
  void limitsConcurrencyPerTarget() {
    List<TargetGate.Permit> five = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      five.add(go(TARGET));
    }
    assertThat(gate.tryEnter(TARGET, 0)).isEqualTo(new TargetGate.Admission.Full());
    assertThat(gate.delay(TARGET)).isPositive();
    go(OTHER).close();
    five.get(0).close();
    five.get(0).close();
    go(TARGET);
    assertThat(gate.tryEnter(TARGET, 0)).isEqualTo(new TargetGate.Admission.Full());
  }

  @Test
  void limitsRatePerTarget() {
    gate = gate(OPTIONS.maxRate(2));
    go(TARGET).close();
    go(TARGET).close();
    assertThat(delayed(TARGET).delay()).isEqualTo(Duration.ofMillis(500));
    assertThat(delayed(TARGET).delay()).isEqualTo(Duration.ofSeconds(1));
    assertThat(delayed(TARGET).delay()).isEqualTo(Duration.ofMillis(1500));
    go(OTHER).close();
    pass(Duration.ofMillis(500));
    go(TARGET).close();
    delayed(TARGET);
    pass(Duration.ofSeconds(10));
    int admitted = 0;
    while (gate.tryEnter(TARGET, 0) instanceof TargetGate.Admission.Admitted go) {
      go.permit().close();
      admitted++;
    }
    assertThat(admitted).isEqualTo(2);
  }

  @Test
  void defersByAtMostMinuteForTheRate() {
    gate = gate(OPTIONS.maxRate(1));
    go(TARGET).close();
    for (int i = 0; i < 1000; i++) {
      assertThat(delayed(TARGET).delay()).isBetween(Duration.ofMillis(1), Duration.ofMinutes(1));
    }
  }

  @Test
  void limitsKnownTargets() {
    gate = gate(OPTIONS.maxTargets(100));
    TargetGate.Permit inFlight = go(TARGET);
    for (int i = 0; i < 1000; i++) {
      go(new Target("http", "h" + i + ".test", 80)).close();
    }
    assertThat(gate.knownTargets()).isEqualTo(100);
    // the state of the target with a call in flight was kept
    for (int i = 0; i < 4; i++) {
      go(TARGET);
    }
    assertThat(gate.tryEnter(TARGET, 0)).isEqualTo(new TargetGate.Admission.Full());
    inFlight.complete(answered(200));
  }

  @Test
  void keepsTargetsWithCallsInFlight() {
    gate = gate(OPTIONS.maxTargets(40));
    List<TargetGate.Permit> permits = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      permits.add(go(new Target("http", "h" + i + ".test", 80)));
    }
    assertThat(gate.knownTargets()).as("bounded by the calls in flight").isEqualTo(200);
    permits.forEach(TargetGate.Permit::close);
    go(OTHER).close();
    assertThat(gate.knownTargets()).isEqualTo(40);
  }

  @Test
  void admitsOneProbeOfConcurrentCalls() throws Exception {
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
                  if (gate.tryEnter(TARGET, 0) instanceof TargetGate.Admission.Admitted) {
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

  private TargetGate gate(TargetGateOptions options) {
    return new TargetGate(2000, 64 * 1024 * 1024, options, Runnable::run, () -> now, () -> random);
  }

  private void fail(int times) {
    for (int i = 0; i < times; i++) {
      go(TARGET).complete(noAnswer());
    }
  }

  private void pass(Duration time) {
    now += time.toNanos();
  }

  private TargetGate.Permit go(Target target) {
    TargetGate.Admission admission = gate.tryEnter(target, 0);
    if (admission instanceof TargetGate.Admission.Admitted go) {
      return go.permit();
    }
    throw new AssertionError("expected to go, was " + admission);
  }

  private TargetGate.Admission.Deferred delayed(Target target) {
    TargetGate.Admission admission = gate.tryEnter(target, 0);
    if (admission instanceof TargetGate.Admission.Deferred wait) {
      return wait;
    }
    throw new AssertionError("expected to wait, was " + admission);
  }

  private static Attempt.Result retry() {
    return new Attempt.Result.Retry(Optional.empty());
  }

  private static Attempt noAnswer() {
    return attempt(OptionalInt.empty(), retry(), "no response within 10 s");
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
            new Attempt.Result.Success())
        : attempt(OptionalInt.of(status), retry(), "the target responded with " + status);
  }

  private static Attempt attempt(OptionalInt status, Attempt.Result verdict, String error) {
    return new Attempt(
        Instant.EPOCH, Duration.ZERO, Optional.empty(), status, "", Optional.of(error), verdict);
  }
}
