package dev.holdfast.schedule;

import static dev.holdfast.schedule.Fires.MADRID;
import static dev.holdfast.schedule.Fires.NEW_YORK;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.ZoneId;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Overlaps: local times that the clock shows twice. */
class ClockBackTest {
  private static final LocalTime HALF_PAST_ONE = LocalTime.of(1, 30);
  private static final LocalTime HALF_PAST_TWO = LocalTime.of(2, 30);

  @Test
  void aFixedTimeInAnOverlapFiresTheFirstTime() {
    assertThat(Fires.after("2024-11-02T12:00", Recurrence.cron("30 1 * * *", NEW_YORK), 2))
        .containsExactly("2024-11-03T01:30-04:00", "2024-11-04T01:30-05:00");
    assertThat(Fires.after("2024-10-26T12:00", Recurrence.cron("30 2 * * *", MADRID), 2))
        .containsExactly("2024-10-27T02:30+02:00", "2024-10-28T02:30+01:00");
  }

  @Test
  void calendarTimesAreFixed() {
    assertThat(Fires.after("2024-11-02T12:00", Recurrence.daily(HALF_PAST_ONE, NEW_YORK), 2))
        .containsExactly("2024-11-03T01:30-04:00", "2024-11-04T01:30-05:00");
    assertThat(
            Fires.after(
                "2024-11-02T12:00",
                Recurrence.weekly(Set.of(DayOfWeek.SUNDAY), HALF_PAST_ONE, NEW_YORK),
                2))
        .containsExactly("2024-11-03T01:30-04:00", "2024-11-10T01:30-05:00");
    assertThat(Fires.after("2024-10-02T12:00", Recurrence.monthly(27, HALF_PAST_TWO, MADRID), 2))
        .containsExactly("2024-10-27T02:30+02:00", "2024-11-27T02:30+01:00");
    assertThat(
            Fires.after(
                "2024-10-02T12:00",
                Recurrence.yearly(MonthDay.of(10, 27), HALF_PAST_TWO, MADRID),
                2))
        .containsExactly("2024-10-27T02:30+02:00", "2025-10-27T02:30+01:00");
  }

  @Test
  void inTheSecondRoundNothingFixedFires() {
    Recurrence recurrence = Recurrence.cron("0,30 1,2 * * *", NEW_YORK);
    Instant secondHalfPastOne = Instant.parse("2024-11-03T06:30:00Z");

    for (int minutes : new int[] {-30, -29, -1, 0, 1, 29}) {
      assertThat(recurrence.next(secondHalfPastOne.plus(Duration.ofMinutes(minutes))))
          .contains(Instant.parse("2024-11-03T07:00:00Z"));
    }
    assertThat(Fires.between("2024-11-03", "2024-11-04", recurrence))
        .containsExactly(
            "2024-11-03T01:00-04:00",
            "2024-11-03T01:30-04:00",
            "2024-11-03T02:00-05:00",
            "2024-11-03T02:30-05:00");
  }

  @Test
  void everyHourFiresTwice() {
    assertThat(Fires.after("2024-11-03T00:45", Recurrence.cron("30 * * * *", NEW_YORK), 3))
        .containsExactly(
            "2024-11-03T01:30-04:00", "2024-11-03T01:30-05:00", "2024-11-03T02:30-05:00");
    assertThat(Fires.between("2024-10-27", "2024-10-28", Recurrence.cron("0 * * * *", MADRID)))
        .hasSize(25);
  }

  @Test
  void partsOfEveryHourFireTwice() {
    assertThat(Fires.after("2024-11-03T01:30", Recurrence.cron("*/15 * * * *", NEW_YORK), 6))
        .containsExactly(
            "2024-11-03T01:45-04:00",
            "2024-11-03T01:00-05:00",
            "2024-11-03T01:15-05:00",
            "2024-11-03T01:30-05:00",
            "2024-11-03T01:45-05:00",
            "2024-11-03T02:00-05:00");
  }

  @Test
  void anOverlapMayGoBackIntoTheDayBefore() {
    ZoneId saoPaulo = ZoneId.of("America/Sao_Paulo");
    ZoneId tehran = ZoneId.of("Asia/Tehran");

    assertThat(Fires.after("2018-02-17T12:00", Recurrence.cron("30 23 * * *", saoPaulo), 2))
        .containsExactly("2018-02-17T23:30-02:00", "2018-02-18T23:30-03:00");
    assertThat(Fires.after("2018-02-17T22:00", Recurrence.cron("0 * 17 * *", saoPaulo), 3))
        .containsExactly(
            "2018-02-17T23:00-02:00", "2018-02-17T23:00-03:00", "2018-03-17T00:00-03:00");
    assertThat(Fires.after("2022-09-21T12:00", Recurrence.cron("0,30 0,23 * * *", tehran), 3))
        .containsExactly(
            "2022-09-21T23:00+04:30", "2022-09-21T23:30+04:30", "2022-09-22T00:00+03:30");
  }

  @Test
  void theSouthGoesBackInApril() {
    Recurrence recurrence = Recurrence.cron("30 2 * * *", ZoneId.of("Australia/Sydney"));

    assertThat(Fires.after("2024-04-06T12:00", recurrence, 2))
        .containsExactly("2024-04-07T02:30+11:00", "2024-04-08T02:30+10:00");
  }

  @Test
  void anOverlapMayBeHalfAnHour() {
    ZoneId lordHowe = ZoneId.of("Australia/Lord_Howe");

    assertThat(Fires.after("2024-04-06T12:00", Recurrence.cron("45 1 * * *", lordHowe), 2))
        .containsExactly("2024-04-07T01:45+11:00", "2024-04-08T01:45+10:30");
    assertThat(Fires.after("2024-04-07T00:30", Recurrence.cron("0 * * * *", lordHowe), 2))
        .containsExactly("2024-04-07T01:00+11:00", "2024-04-07T02:00+10:30");
    assertThat(Fires.after("2024-04-07T01:20", Recurrence.cron("*/15 * * * *", lordHowe), 5))
        .containsExactly(
            "2024-04-07T01:30+11:00",
            "2024-04-07T01:45+11:00",
            "2024-04-07T01:30+10:30",
            "2024-04-07T01:45+10:30",
            "2024-04-07T02:00+10:30");
  }

  @Test
  void ramadanBeginsInCasablanca() {
    Recurrence recurrence = Recurrence.cron("30 2 * * *", ZoneId.of("Africa/Casablanca"));

    assertThat(Fires.after("2024-03-09T12:00", recurrence, 2))
        .containsExactly("2024-03-10T02:30+01:00", "2024-03-11T02:30Z");
  }

  @Test
  void theDayThatIsLongerHasNoSecondMidnight() {
    assertThat(
            Fires.after(
                "2018-02-17T12:00",
                Recurrence.daily(LocalTime.MIDNIGHT, ZoneId.of("America/Sao_Paulo")),
                2))
        .containsExactly("2018-02-18T00:00-03:00", "2018-02-19T00:00-03:00");
    assertThat(
            Fires.after(
                "2024-11-02T12:00",
                Recurrence.daily(LocalTime.MIDNIGHT, ZoneId.of("America/Havana")),
                2))
        .as("the clock goes back from 01:00 to 00:00")
        .containsExactly("2024-11-03T00:00-04:00", "2024-11-04T00:00-05:00");
  }

  @Test
  void intervalsKnowNothingOfTheClock() {
    Instant first = Instant.parse("2024-11-03T04:30:00Z");
    Recurrence hourly = Recurrence.every(Duration.ofHours(1), first);

    assertThat(hourly.next(first, 3))
        .containsExactly(
            first.plus(Duration.ofHours(1)),
            first.plus(Duration.ofHours(2)),
            first.plus(Duration.ofHours(3)));
  }
}
