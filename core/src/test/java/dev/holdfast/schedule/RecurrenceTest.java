package dev.holdfast.schedule;

import static dev.holdfast.schedule.Fires.MADRID;
import static dev.holdfast.schedule.Fires.UTC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.ZoneId;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The kinds of recurrences, and the ways to ask for their fires. */
class RecurrenceTest {
  private static final LocalTime NINE = LocalTime.of(9, 0);
  private static final Instant NEW_YEAR = Instant.parse("2024-01-01T00:00:00Z");
  private static final Recurrence DAILY = Recurrence.daily(NINE, UTC);

  @Test
  void dailyIsEachDayAtTheLocalTime() {
    assertThat(Fires.after("2023-12-30T09:00", Recurrence.daily(NINE, MADRID), 2))
        .containsExactly("2023-12-31T09:00+01:00", "2024-01-01T09:00+01:00");
    assertThat(Fires.after("2024-01-01T00:00", Recurrence.daily(LocalTime.of(9, 0, 7), UTC), 1))
        .containsExactly("2024-01-01T09:00:07Z");
  }

  @Test
  void weeklyIsOnEachOfTheDays() {
    Set<DayOfWeek> days = EnumSet.of(DayOfWeek.SUNDAY, DayOfWeek.WEDNESDAY);
    Recurrence recurrence = Recurrence.weekly(days, NINE, UTC);
    days.clear();

    assertThat(Fires.after("2023-12-31T09:00", recurrence, 3))
        .containsExactly("2024-01-03T09:00Z", "2024-01-07T09:00Z", "2024-01-10T09:00Z");
  }

  @Test
  void monthlyIsOnTheLastDayOfShortMonths() {
    assertThat(Fires.after("2023-12-31T09:00", Recurrence.monthly(31, NINE, UTC), 4))
        .containsExactly(
            "2024-01-31T09:00Z", "2024-02-29T09:00Z", "2024-03-31T09:00Z", "2024-04-30T09:00Z");
    assertThat(Fires.after("2023-01-31T09:00", Recurrence.monthly(30, NINE, UTC), 2))
        .containsExactly("2023-02-28T09:00Z", "2023-03-30T09:00Z");
  }

  @Test
  void leapDayMovesInOtherYears() {
    MonthDay leapDay = MonthDay.of(2, 29);

    assertThat(Fires.after("2023-01-01T09:00", Recurrence.yearly(leapDay, NINE, UTC), 3))
        .containsExactly("2023-02-28T09:00Z", "2024-02-29T09:00Z", "2025-02-28T09:00Z");
    assertThat(
            Fires.after(
                "2023-01-01T09:00",
                Recurrence.yearly(leapDay, Recurrence.LeapDay.MARCH_1, NINE, UTC),
                3))
        .containsExactly("2023-03-01T09:00Z", "2024-02-29T09:00Z", "2025-03-01T09:00Z");
    assertThat(Fires.after("2100-01-01T09:00", Recurrence.yearly(leapDay, NINE, UTC), 1))
        .containsExactly("2100-02-28T09:00Z");
  }

  @Test
  void leapDayChoiceAppliesToLeapDayOnly() {
    for (MonthDay day : List.of(MonthDay.of(2, 28), MonthDay.of(3, 1), MonthDay.of(12, 31))) {
      assertThat(Recurrence.yearly(day, Recurrence.LeapDay.MARCH_1, NINE, UTC))
          .isEqualTo(Recurrence.yearly(day, NINE, UTC));
    }
    assertThat(
            Fires.after(
                "2023-01-01T09:00",
                Recurrence.yearly(MonthDay.of(12, 31), Recurrence.LeapDay.MARCH_1, NINE, UTC),
                2))
        .containsExactly("2023-12-31T09:00Z", "2024-12-31T09:00Z");
  }

  @Test
  void everyCountsFromItsFirstFire() {
    Recurrence recurrence = Recurrence.every(Duration.ofMinutes(90), NEW_YEAR);

    assertThat(recurrence.next(Instant.MIN)).contains(NEW_YEAR);
    assertThat(recurrence.next(NEW_YEAR.minusNanos(1))).contains(NEW_YEAR);
    assertThat(recurrence.next(NEW_YEAR)).contains(NEW_YEAR.plus(Duration.ofMinutes(90)));
    assertThat(recurrence.next(Instant.parse("2024-06-01T00:00:01Z")))
        .contains(Instant.parse("2024-06-01T01:30:00Z"));
    assertThat(recurrence.zone().getRules().isFixedOffset()).isTrue();
  }

  @Test
  void nextIsStrictlyAfterToTheNanosecond() {
    Instant fire = NEW_YEAR.plus(Duration.ofHours(9));

    assertThat(DAILY.next(fire.minusNanos(1))).contains(fire);
    assertThat(DAILY.next(fire)).contains(fire.plus(Duration.ofDays(1)));
    assertThat(DAILY.next(fire.plusNanos(1))).contains(fire.plus(Duration.ofDays(1)));
  }

  @Test
  void boundsMayFireThemselves() {
    Instant start = Instant.parse("2024-01-02T09:00:00Z");
    Instant end = Instant.parse("2024-01-04T09:00:00Z");

    assertThat(DAILY.startingAt(start).endingAt(end).next(Instant.MIN, 10))
        .containsExactly(start, Instant.parse("2024-01-03T09:00:00Z"), end);
    assertThat(
            DAILY.startingAt(start.plusSeconds(1)).endingAt(end.minusSeconds(1)).next(NEW_YEAR, 10))
        .containsExactly(Instant.parse("2024-01-03T09:00:00Z"));
    assertThat(DAILY.endingAt(end).next(end)).isEmpty();
    assertThat(DAILY.startingAt(start).startingAt(NEW_YEAR).next(NEW_YEAR))
        .contains(NEW_YEAR.plus(Duration.ofHours(9)));
  }

  @Test
  void anIntervalKeepsItsBeatWhenItStartsLater() {
    Recurrence recurrence =
        Recurrence.every(Duration.ofHours(5), NEW_YEAR).startingAt(NEW_YEAR.plusSeconds(3600));

    assertThat(recurrence.next(Instant.MIN)).contains(NEW_YEAR.plus(Duration.ofHours(5)));
  }

  @Test
  void adjacentWindowsShareNoFire() {
    Instant fire = NEW_YEAR.plus(Duration.ofHours(9));
    Instant later = fire.plus(Duration.ofDays(3));

    assertThat(DAILY.between(NEW_YEAR, fire)).containsExactly(fire);
    assertThat(DAILY.between(fire, later)).hasSize(3).doesNotContain(fire).endsWith(later);
    assertThat(DAILY.between(fire, fire)).isEmpty();
  }

  @Test
  void moreFiresThanFitAreRefused() {
    Recurrence eachSecond = Recurrence.cron("* * * * * *", UTC);

    assertThat(eachSecond.between(NEW_YEAR, NEW_YEAR.plusSeconds(100_000))).hasSize(100_000);
    assertThatThrownBy(() -> eachSecond.between(NEW_YEAR, NEW_YEAR.plusSeconds(100_001)))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("at most 100000 fires");
    assertThatThrownBy(() -> eachSecond.between(Instant.MIN, Instant.MAX))
        .isInstanceOf(InvalidArgumentException.class);
    for (int count : new int[] {Integer.MIN_VALUE, -1, 0, 100_001, Integer.MAX_VALUE}) {
      assertThatThrownBy(() -> DAILY.next(NEW_YEAR, count))
          .isInstanceOf(InvalidArgumentException.class)
          .hasMessageContaining("count must be from 1 to 100000, was " + count);
    }
  }

  @Test
  void timeEndsWithTheYear9999() {
    Instant lastDay = Instant.parse("9999-12-31T00:00:00Z");

    for (String zone : List.of("UTC", "Pacific/Kiritimati", "Etc/GMT+12", "America/New_York")) {
      for (String cron : List.of("0 9 * * *", "0 * * * *")) {
        Recurrence recurrence = Recurrence.cron(cron, ZoneId.of(zone));
        List<Instant> fires = recurrence.next(lastDay, 100);
        assertThat(fires).as(recurrence.format()).isNotEmpty().hasSizeLessThan(25);
        assertThat(fires.get(fires.size() - 1)).isBefore(Instant.parse("+10000-01-01T00:00:00Z"));
        assertThat(recurrence.next(Instant.MAX)).isEmpty();
        assertThat(recurrence.next(Instant.parse("9999-12-31T23:59:59Z"))).isEmpty();
      }
    }
    assertThat(Recurrence.every(Duration.ofDays(36_525), NEW_YEAR).next(lastDay)).isEmpty();
    assertThat(Recurrence.every(Duration.ofSeconds(1), NEW_YEAR).next(Instant.MAX)).isEmpty();
    assertThat(Recurrence.cron("0 0 29 2 *", UTC).next(Instant.parse("9996-03-01T00:00:00Z")))
        .isEmpty();
  }

  @Test
  void timeBeginsWithTheYear1() {
    assertThat(DAILY.next(Instant.MIN)).contains(Instant.parse("0001-01-01T09:00:00Z"));
    assertThat(Recurrence.cron("0 * * * *", UTC).next(Instant.MIN))
        .contains(Instant.parse("0001-01-01T00:00:00Z"));
  }
}
