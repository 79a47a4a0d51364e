package dev.holdfast.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import org.junit.jupiter.api.Test;

class DeliveryMemoryTest {
  private static final long MIB = 1024 * 1024;

  /** What a JVM with -Xmx256m and the serial collector says. */
  private static final long LAUNCHER_HEAP = 259_522_560;

  @Test
  void theStandardFitsIntoTheHeapOfTheLauncher() {
    assertThat(DeliveryMemory.concurrency(null, LAUNCHER_HEAP)).isEqualTo(2000);
    assertThat(DeliveryMemory.concurrency(2000, LAUNCHER_HEAP)).isEqualTo(2000);
  }

  @Test
  void aSmallHeapLowersTheStandard() {
    assertThat(DeliveryMemory.concurrency(null, 160 * MIB)).isBetween(500, 1200);
    assertThat(DeliveryMemory.concurrency(null, 16 * MIB)).isEqualTo(1);
  }

  @Test
  void whatDoesNotFitIsRefusedWithWhatToSet() {
    assertThatThrownBy(() -> DeliveryMemory.concurrency(4000, 247 * MIB))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContainingAll("4000", "247 MiB", "at most 2196", "-Xmx");
  }

  @Test
  void theHeapThatIsAdvisedIsEnough() {
    assertThat(DeliveryMemory.concurrency(4000, 432 * MIB)).isEqualTo(4000);
    assertThatThrownBy(() -> DeliveryMemory.concurrency(4000, MIB))
        .hasMessageContaining("-Xmx432m");
  }
}
