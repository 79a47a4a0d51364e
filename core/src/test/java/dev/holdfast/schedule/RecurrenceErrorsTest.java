package dev.holdfast.schedule;

import static dev.holdfast.schedule.Fires.UTC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.InvalidArgumentException;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.MonthDay;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What is refused, and with which words. */
class RecurrenceErrorsTest {
  private static final LocalTime NINE = LocalTime.of(9, 0);
  private static final Instant NEW_YEAR = Instant.parse("2024-01-01T00:00:00Z");
  private static final Recurrence DAILY = Recurrence.daily(NINE, UTC);

  private static String refusal(ThrowingCallable call) {
    Throwable refusal = catchThrowable(call);
    assertThat(refusal).isInstanceOf(InvalidArgumentException.class);
    return String.valueOf(refusal.getMessage());
  }

  @Test
  @SuppressWarnings("NullAway")
  void nullIsRefusedByName() {
    assertThat(refusal(() -> Recurrence.daily(null, UTC))).startsWith("time of the day must not");
    assertThat(refusal(() -> Recurrence.daily(NINE, null))).isEqualTo("zone must not be null");
    assertThat(refusal(() -> Recurrence.weekly(null, NINE, UTC))).startsWith("weekdays must not");
    assertThat(refusal(() -> Recurrence.weekly(new HashSet<>(List.of()), null, UTC)))
        .startsWith("weekdays must not be empty");
    Set<DayOfWeek> withNull = new HashSet<>();
    withNull.add(null);
    assertThat(refusal(() -> Recurrence.weekly(withNull, NINE, UTC))).startsWith("weekday must");
    assertThat(refusal(() -> Recurrence.yearly(null, NINE, UTC))).startsWith("day of the year");
    assertThat(refusal(() -> Recurrence.yearly(MonthDay.of(1, 1), null, NINE, UTC)))
        .isEqualTo("leap day must not be null");
    assertThat(refusal(() -> Recurrence.every(null, NEW_YEAR))).startsWith("interval must not");
    assertThat(refusal(() -> Recurrence.every(Duration.ofHours(1), null)))
        .isEqualTo("first fire must not be null");
    assertThat(refusal(() -> DAILY.next(null))).isEqualTo("after must not be null");
    assertThat(refusal(() -> DAILY.next(null, 1))).isEqualTo("after must not be null");
    assertThat(refusal(() -> DAILY.between(null, NEW_YEAR))).startsWith("after must not");
    assertThat(refusal(() -> DAILY.between(NEW_YEAR, null))).isEqualTo("upTo must not be null");
    assertThat(refusal(() -> DAILY.startingAt(null))).isEqualTo("start must not be null");
    assertThat(refusal(() -> DAILY.endingAt(null))).isEqualTo("end must not be null");
    assertThat(refusal(() -> Recurrence.parse(null))).startsWith("text of a recurrence must not");
  }

  @Test
  void aWeekWithoutDaysIsRefused() {
    assertThat(refusal(() -> Recurrence.weekly(EnumSet.noneOf(DayOfWeek.class), NINE, UTC)))
        .isEqualTo("weekdays must not be empty");
  }

  @Test
  void daysOfTheMonthAreFrom1To31() {
    for (int day : new int[] {Integer.MIN_VALUE, -1, 0, 32, Integer.MAX_VALUE}) {
      assertThat(refusal(() -> Recurrence.monthly(day, NINE, UTC)))
          .isEqualTo("day of the month must be from 1 to 31, was " + day);
    }
  }

  @Test
  void timesAreWholeSeconds() {
    assertThat(refusal(() -> Recurrence.daily(LocalTime.MAX, UTC)))
        .isEqualTo("time of the day must be a whole second, was 23:59:59.999999999");
    assertThat(refusal(() -> Recurrence.every(Duration.ofMillis(1500), NEW_YEAR)))
        .isEqualTo("interval must be in whole seconds, was PT1.5S");
    for (Instant instant : List.of(NEW_YEAR.plusNanos(1), Instant.MIN, Instant.MAX)) {
      String rule =
          " must be a whole second of the years 1 to 9999, was "
              + instant
              + (instant.equals(NEW_YEAR.plusNanos(1))
                  ? "; use a fixed instant, or truncatedTo(SECONDS)"
                  : "");
      assertThat(refusal(() -> Recurrence.every(Duration.ofHours(1), instant)))
          .isEqualTo("first fire" + rule);
      assertThat(refusal(() -> DAILY.startingAt(instant))).isEqualTo("start" + rule);
      assertThat(refusal(() -> DAILY.endingAt(instant))).isEqualTo("end" + rule);
    }
  }

  @Test
  void intervalsAreFromASecondToACentury() {
    for (Duration interval :
        List.of(
            Duration.ZERO,
            Duration.ofSeconds(-1),
            Duration.ofMillis(999),
            Duration.ofDays(36_525).plusSeconds(1),
            Duration.ofSeconds(Long.MAX_VALUE),
            Duration.ofSeconds(Long.MIN_VALUE))) {
      assertThat(refusal(() -> Recurrence.every(interval, NEW_YEAR)))
          .isEqualTo("interval must be from PT1S to PT876600H, was " + interval);
    }
  }

  @Test
  void nothingEndsBeforeItStarts() {
    assertThat(refusal(() -> DAILY.startingAt(NEW_YEAR).endingAt(NEW_YEAR.minusSeconds(1))))
        .isEqualTo(
            "the end of a recurrence must not be before its start, was 2023-12-31T23:59:59Z with"
                + " the start 2024-01-01T00:00:00Z");
    assertThat(refusal(() -> DAILY.between(NEW_YEAR, NEW_YEAR.minusNanos(1))))
        .startsWith("upTo must not be before 2024-01-01T00:00:00Z, was 2023-12-31T23:59:59.99");
  }
}
