package dev.holdfast.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

class TicksTest {
  private static boolean isRunning() {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().equals("holdfast-cache-clock"));
  }

  private static void until(BooleanSupplier condition) {
    long end = System.nanoTime() + Duration.ofMinutes(1).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(end);
      Thread.onSpinWait();
    }
  }

  @Test
  void continuesUntilUnused() {
    long begun = CoarseClock.SHARED.now();
    assertThat(isRunning()).isTrue();

    until(
        () -> {
          long tick = CoarseClock.SHARED.now();
          assertThat(System.nanoTime()).isGreaterThanOrEqualTo(tick);
          return tick - begun > Duration.ofMillis(50).toNanos();
        });
    until(() -> !isRunning());
    assertThat(CoarseClock.SHARED.now()).as("begins again").isGreaterThan(begun);
    assertThat(isRunning()).isTrue();
  }
}
