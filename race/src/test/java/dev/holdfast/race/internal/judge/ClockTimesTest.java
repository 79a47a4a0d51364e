package dev.holdfast.race.internal.judge;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClockTimesTest {
  private final ClockTimes moments =
      new ClockTimes(Clock.fixed(Instant.parse("2026-03-04T23:58:00Z"), ZoneOffset.UTC));

  @ParameterizedTest
  @CsvSource({
    "2026-03-04T23:57:00Z,      ‹now›",
    "2026-03-05 00:59:30+01,    ‹now›",
    "2026-03-04T23:58:01.5,     ‹now›",
    "2026-03-04 23:58:01.5,     ‹now›",
    "2026-03-05T00:02:59Z,      ‹now›",
    "00:01:00,                  ‹now›",
    "23:59:00Z,                 ‹now›",
    "2026-03-04,                ‹today›",
    "2026-03-04T23:00:00Z,      2026-03-04T23:00:00Z",
    "2026-03-07,                2026-03-07",
    "12:00,                     12:00",
    "infinity,                  infinity",
    "P1D: neither date nor time,P1D: neither date nor time",
  })
  void aTimeIsNowOrTodayOrItself(String text, String meant) {
    assertThat(moments.of(text)).isEqualTo(meant);
  }
}
