package dev.holdfast.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class WebhookRetryTest {
  private static final WebhookCall.Retry STANDARD = WebhookCall.Retry.DEFAULT;

  @Test
  void growsBackoffUpToMaxDelay() {
    assertThat(after(1, 1)).isEqualTo(Duration.ofSeconds(5));
    assertThat(after(2, 1)).isEqualTo(Duration.ofSeconds(20));
    assertThat(after(9, 1)).isEqualTo(Duration.ofHours(6));
    assertThat(after(100_000, 1)).isEqualTo(Duration.ofHours(6));
  }

  @Test
  void usesFullJitter() {
    assertThat(after(2, 0)).isZero();
    assertThat(after(2, 0.5)).isEqualTo(Duration.ofSeconds(10));
  }

  @Test
  void respectsRetryAfter() {
    assertThat(STANDARD.delay(1, Optional.of(Duration.ofMinutes(1)), 0.5))
        .isEqualTo(Duration.ofMinutes(1));
    assertThat(STANDARD.delay(9, Optional.of(Duration.ofMinutes(1)), 0.5))
        .isEqualTo(Duration.ofHours(3));
  }

  @Test
  void stopsAfterMaxAttempts() {
    assertThat(STANDARD.isLast(9)).isFalse();
    assertThat(STANDARD.isLast(10)).isTrue();
    assertThat(STANDARD.isLast(11)).isTrue();
  }

  private static Duration after(int attempt, double random) {
    return STANDARD.delay(attempt, Optional.empty(), random);
  }
}
