package dev.holdfast.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class BackoffTest {
  private final Backoff backoff = new Backoff(Duration.ofMillis(10), Duration.ofSeconds(1));

  @Test
  void theBoundDoublesUpToTheCap() {
    long[] bounds = {10, 20, 40, 80, 160, 320, 640, 1000, 1000};
    for (int attempt = 1; attempt <= bounds.length; attempt++) {
      assertThat(backoff.afterAttempt(attempt, () -> 1))
          .isEqualTo(Duration.ofMillis(bounds[attempt - 1]));
      assertThat(backoff.afterAttempt(attempt, () -> 0.5))
          .isEqualTo(Duration.ofMillis(bounds[attempt - 1]).dividedBy(2));
    }
  }

  @Test
  void mayBeNothingAtAll() {
    assertThat(backoff.afterAttempt(5, () -> 0)).isZero();
    assertThat(new Backoff(Duration.ZERO, Duration.ZERO).afterAttempt(5, () -> 1)).isZero();
  }

  @Test
  void neverOverflows() {
    Backoff longest = new Backoff(Duration.ofDays(1), Duration.ofDays(1));
    assertThat(longest.afterAttempt(Integer.MAX_VALUE, () -> 1)).isEqualTo(Duration.ofDays(1));
  }
}
