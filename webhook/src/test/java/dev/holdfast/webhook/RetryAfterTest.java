package dev.holdfast.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RetryAfterTest {
  private static final Instant NOW = Instant.parse("2026-11-15T10:00:00Z");
  private static final Duration CAP = Duration.ofHours(1);

  @Test
  void isSecondsUpToTheCap() {
    assertThat(read("0", null)).hasValue(Duration.ZERO);
    assertThat(read(" 120 ", null)).hasValue(Duration.ofMinutes(2));
    assertThat(read("3601", null)).hasValue(CAP);
    assertThat(read("9".repeat(100), null)).hasValue(CAP);
  }

  @Test
  void isADateUpToTheCap() {
    assertThat(read("Sun, 15 Nov 2026 10:01:00 GMT", null)).hasValue(Duration.ofMinutes(1));
    assertThat(read("Sunday, 15-Nov-26 10:01:00 GMT", null)).hasValue(Duration.ofMinutes(1));
    assertThat(read("Sun, 15 Nov 2026 09:00:00 GMT", null)).hasValue(Duration.ZERO);
    assertThat(read("Fri, 31 Dec 9999 23:59:59 GMT", null)).hasValue(CAP);
  }

  @Test
  void usesClockOfTarget() {
    assertThat(read("Sun, 15 Nov 2026 15:01:00 GMT", "Sun, 15 Nov 2026 15:00:00 GMT"))
        .hasValue(Duration.ofMinutes(1));
    assertThat(read("Sun, 15 Nov 2026 10:01:00 GMT", "nonsense")).hasValue(Duration.ofMinutes(1));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "-1", "+1", "1.5", "soon", "1 s", "٣", "2026-11-15T10:01:00Z"})
  void isNothingWhereItIsNeither(String value) {
    assertThat(read(value, null)).isEmpty();
    assertThat(read(null, null)).isEmpty();
  }

  private static Optional<Duration> read(@Nullable String value, @Nullable String date) {
    return RetryAfter.parse(value, date, NOW, CAP);
  }
}
