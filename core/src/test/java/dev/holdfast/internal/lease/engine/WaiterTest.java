package dev.holdfast.internal.lease.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lease.LeaseRequest;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class WaiterTest {
  private final Waiter waiter =
      new Waiter(LeaseRequest.Target.exclusive("x"), Duration.ofSeconds(30), false);

  private static long inAnHour() {
    return System.nanoTime() + TimeUnit.HOURS.toNanos(1);
  }

  private void ask() {
    waiter.becomeFirst(System.nanoTime());
    assertThat(waiter.shouldAsk()).isTrue();
  }

  @Test
  void earlyWakeDuringPollCounts() {
    ask();
    waiter.wakeLater(0);
    waiter.askAt(inAnHour());

    assertThat(waiter.shouldAsk()).isTrue();
  }

  @Test
  void wakeBeforePollCounts() {
    waiter.becomeFirst(inAnHour());
    waiter.wakeLater(0);
    assertThat(waiter.shouldAsk()).isTrue();
    waiter.askAt(inAnHour());

    assertThat(waiter.shouldAsk()).isFalse();
  }

  @Test
  void laterWakeDoesNotDelay() {
    ask();
    waiter.askAt(System.nanoTime());
    waiter.wakeLater(TimeUnit.HOURS.toNanos(1));

    assertThat(waiter.shouldAsk()).isTrue();
  }
}
