package dev.holdfast.web.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RetriesTest {
  private static final WebhookTask.Retry STANDARD = WebhookTask.Retry.STANDARD;

  @Test
  void theBackoffGrowsUpToItsLimit() {
    assertThat(after(1, 1)).isEqualTo(Duration.ofSeconds(5));
    assertThat(after(2, 1)).isEqualTo(Duration.ofSeconds(20));
    assertThat(after(9, 1)).isEqualTo(Duration.ofHours(6));
    assertThat(after(100_000, 1)).isEqualTo(Duration.ofHours(6));
  }

  @Test
  void theJitterIsFull() {
    assertThat(after(2, 0)).isZero();
    assertThat(after(2, 0.5)).isEqualTo(Duration.ofSeconds(10));
  }

  @Test
  void aTargetIsNotCalledBeforeTheTimeItAsksFor() {
    assertThat(Retries.after(STANDARD, 1, Optional.of(Duration.ofMinutes(1)), 0.5))
        .isEqualTo(Duration.ofMinutes(1));
    assertThat(Retries.after(STANDARD, 9, Optional.of(Duration.ofMinutes(1)), 0.5))
        .isEqualTo(Duration.ofHours(3));
  }

  @Test
  void theLastAttemptIsTheLast() {
    assertThat(Retries.isLast(STANDARD, 9)).isFalse();
    assertThat(Retries.isLast(STANDARD, 10)).isTrue();
    assertThat(Retries.isLast(STANDARD, 11)).isTrue();
  }

  private static Duration after(int attempt, double random) {
    return Retries.after(STANDARD, attempt, Optional.empty(), random);
  }
}
