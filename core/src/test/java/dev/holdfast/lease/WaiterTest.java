package dev.holdfast.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class WaiterTest {
  private final Waiter waiter =
      new Waiter(LeaseTarget.exclusive("x"), Duration.ofSeconds(30), false);

  private static long inAnHour() {
    return System.nanoTime() + TimeUnit.HOURS.toNanos(1);
  }

  private void ask() {
    waiter.becomeFirst(System.nanoTime());
    assertThat(waiter.looks()).isTrue();
  }

  @Test
  void whoIsToldToLookSoonWhileItAsksDoesSo() {
    ask();
    waiter.tellLater(0);
    waiter.nextLook(inAnHour());

    assertThat(waiter.looks()).isTrue();
  }

  @Test
  void whatItWasToldBeforeItAskedIsDone() {
    waiter.becomeFirst(inAnHour());
    waiter.tellLater(0);
    assertThat(waiter.looks()).isTrue();
    waiter.nextLook(inAnHour());

    assertThat(waiter.looks()).isFalse();
  }

  @Test
  void whoIsToldToLookLaterThanItWouldAnywayDoesNotWaitForThat() {
    ask();
    waiter.nextLook(System.nanoTime());
    waiter.tellLater(TimeUnit.HOURS.toNanos(1));

    assertThat(waiter.looks()).isTrue();
  }
}
