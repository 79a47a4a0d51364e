package dev.holdfast.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.LongSummaryStatistics;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RetryPolicyTest {
  private static final RetryPolicy POLICY =
      RetryPolicy.standard().backoff(Duration.ofSeconds(1), Duration.ofSeconds(30));

  /** Nearly the largest number that is drawn. */
  private static final double MAX = 1.0;

  private static Duration delay(RetryPolicy policy, int attempt) {
    return ((Outcome.RetryAfter) policy.outcomeOf(new IOException(), attempt)).delay();
  }

  @Test
  void maxDelayDoublesPerAttempt() {
    assertThat(IntStream.rangeClosed(1, 5).mapToObj(attempt -> POLICY.delay(attempt, MAX)))
        .containsExactly(
            Duration.ofSeconds(1),
            Duration.ofSeconds(2),
            Duration.ofSeconds(4),
            Duration.ofSeconds(8),
            Duration.ofSeconds(16));
  }

  @Test
  void theCapEndsTheDoubling() {
    assertThat(POLICY.delay(6, MAX)).isEqualTo(Duration.ofSeconds(30));
    assertThat(POLICY.delay(1_000_000, MAX)).isEqualTo(Duration.ofSeconds(30));
    assertThat(RetryPolicy.standard().delay(50, MAX)).isEqualTo(Duration.ofMinutes(10));
  }

  @Test
  void delayIsBelowMaximum() {
    assertThat(POLICY.delay(4, 0)).isEqualTo(Duration.ZERO);
    assertThat(POLICY.delay(4, 0.25)).isEqualTo(Duration.ofSeconds(2));
    assertThat(POLICY.delay(4, 0.5)).isEqualTo(Duration.ofSeconds(4));
  }

  @Test
  void delayIsRandomEachTime() {
    LongSummaryStatistics millis =
        IntStream.range(0, 300)
            .mapToLong(ignored -> delay(POLICY, 5).toMillis())
            .summaryStatistics();
    assertThat(millis.getMin()).isBetween(0L, 4_000L);
    assertThat(millis.getMax()).isBetween(12_000L, 16_000L);
  }

  @Test
  void noBackoffMeansAtOnce() {
    RetryPolicy atOnce = RetryPolicy.standard().backoff(Duration.ZERO, Duration.ZERO);
    assertThat(delay(atOnce, 9)).isEqualTo(Duration.ZERO);
  }

  @Test
  void attemptsAreTenUnlessSaidOtherwise() {
    assertThat(RetryPolicy.standard().maxAttempts()).isEqualTo(10);
    RetryPolicy three = POLICY.attempts(3);
    assertThat(three.maxAttempts()).isEqualTo(3);
    assertThat(three.delay(5, MAX)).as("the backoff stays").isEqualTo(Duration.ofSeconds(16));
    assertThat(three.backoff(Duration.ZERO, Duration.ZERO).maxAttempts()).isEqualTo(3);
  }
}
