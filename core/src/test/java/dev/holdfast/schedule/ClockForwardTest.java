package dev.holdfast.schedule;

import static dev.holdfast.schedule.Fires.MADRID;
import static dev.holdfast.schedule.Fires.NEW_YORK;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.DayOfWeek;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.ZoneId;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Gaps: local times that the clock skips. */
class ClockForwardTest {
  private static final LocalTime HALF_PAST_TWO = LocalTime.of(2, 30);

  @Test
  void aFixedTimeInAGapFiresAtItsEnd() {
    assertThat(Fires.after("2024-03-09T00:00", Recurrence.cron("30 2 * * *", NEW_YORK), 3))
        .containsExactly(
            "2024-03-09T02:30-05:00", "2024-03-10T03:00-04:00", "2024-03-11T02:30-04:00");
    assertThat(Fires.after("2024-03-30T00:00", Recurrence.cron("30 2 * * *", MADRID), 3))
        .containsExactly(
            "2024-03-30T02:30+01:00", "2024-03-31T03:00+02:00", "2024-04-01T02:30+02:00");
  }

  @Test
  void calendarTimesAreFixed() {
    assertThat(Fires.after("2024-03-09T12:00", Recurrence.daily(HALF_PAST_TWO, NEW_YORK), 2))
        .containsExactly("2024-03-10T03:00-04:00", "2024-03-11T02:30-04:00");
    assertThat(
            Fires.after(
                "2024-03-09T12:00",
                Recurrence.weekly(Set.of(DayOfWeek.SUNDAY), HALF_PAST_TWO, NEW_YORK),
                2))
        .containsExactly("2024-03-10T03:00-04:00", "2024-03-17T02:30-04:00");
    assertThat(Fires.after("2024-03-01T12:00", Recurrence.monthly(31, HALF_PAST_TWO, MADRID), 2))
        .containsExactly("2024-03-31T03:00+02:00", "2024-04-30T02:30+02:00");
    assertThat(
            Fires.after(
                "2024-01-01T12:00",
                Recurrence.yearly(MonthDay.of(3, 31), HALF_PAST_TWO, MADRID),
                2))
        .containsExactly("2024-03-31T03:00+02:00", "2025-03-31T02:30+02:00");
  }

  @Test
  void timesInTheSameGapAndAtItsEndAreOneFire() {
    assertThat(
            Fires.between(
                "2024-03-10", "2024-03-11", Recurrence.cron("0,15,30,45 2,3 * * *", NEW_YORK)))
        .containsExactly(
            "2024-03-10T03:00-04:00",
            "2024-03-10T03:15-04:00",
            "2024-03-10T03:30-04:00",
            "2024-03-10T03:45-04:00");
    assertThat(Fires.between("2024-03-10", "2024-03-11", Recurrence.cron("* 2 * * *", NEW_YORK)))
        .containsExactly("2024-03-10T03:00-04:00");
  }

  @Test
  void everyOtherHourIsFixed() {
    assertThat(Fires.after("2024-03-10T00:00", Recurrence.cron("0 */2 * * *", NEW_YORK), 2))
        .containsExactly("2024-03-10T03:00-04:00", "2024-03-10T04:00-04:00");
  }

  @Test
  void everyHourSkipsTheGap() {
    assertThat(Fires.after("2024-03-10T00:59", Recurrence.cron("30 * * * *", NEW_YORK), 2))
        .containsExactly("2024-03-10T01:30-05:00", "2024-03-10T03:30-04:00");
    assertThat(Fires.between("2024-03-31", "2024-04-01", Recurrence.cron("0 * * * *", MADRID)))
        .hasSize(23);
  }

  @Test
  void partsOfEveryHourSkipTheGap() {
    assertThat(Fires.after("2024-03-10T01:30", Recurrence.cron("*/15 * * * *", NEW_YORK), 2))
        .containsExactly("2024-03-10T01:45-05:00", "2024-03-10T03:00-04:00");
    assertThat(Fires.after("2024-03-10T01:59:58", Recurrence.cron("* * * * * *", NEW_YORK), 2))
        .containsExactly("2024-03-10T01:59:59-05:00", "2024-03-10T03:00-04:00");
  }

  @Test
  void everyHourMayBeSpelledInOtherWays() {
    for (String hours : new String[] {"0-23", "*/1", "0/1", "0-11,12-23"}) {
      Recurrence recurrence = Recurrence.cron("30 " + hours + " * * *", NEW_YORK);
      assertThat(Fires.between("2024-03-10", "2024-03-11", recurrence)).as(hours).hasSize(23);
      assertThat(Fires.between("2024-11-03", "2024-11-04", recurrence)).as(hours).hasSize(25);
    }
  }

  @Test
  void midnightMayBeInAGap() {
    assertThat(
            Fires.after(
                "2018-11-03T12:00",
                Recurrence.daily(LocalTime.MIDNIGHT, ZoneId.of("America/Sao_Paulo")),
                2))
        .containsExactly("2018-11-04T01:00-02:00", "2018-11-05T00:00-02:00");
    assertThat(
            Fires.after("2024-03-30T12:00", Recurrence.cron("@daily", ZoneId.of("Asia/Beirut")), 2))
        .containsExactly("2024-03-31T01:00+03:00", "2024-04-01T00:00+03:00");
    assertThat(
            Fires.after(
                "2022-03-21T12:00", Recurrence.cron("30 0 22 3 *", ZoneId.of("Asia/Tehran")), 1))
        .containsExactly("2022-03-22T01:00+04:30");
  }

  @Test
  void theSouthGoesForwardInOctober() {
    Recurrence recurrence = Recurrence.cron("30 2 * * *", ZoneId.of("Australia/Sydney"));

    assertThat(Fires.after("2024-10-05T12:00", recurrence, 2))
        .containsExactly("2024-10-06T03:00+11:00", "2024-10-07T02:30+11:00");
  }

  @Test
  void aGapMayBeHalfAnHour() {
    ZoneId lordHowe = ZoneId.of("Australia/Lord_Howe");

    assertThat(Fires.after("2024-10-05T12:00", Recurrence.cron("15 2 * * *", lordHowe), 2))
        .containsExactly("2024-10-06T02:30+11:00", "2024-10-07T02:15+11:00");
    assertThat(Fires.after("2024-10-06T00:30", Recurrence.cron("0 * * * *", lordHowe), 2))
        .containsExactly("2024-10-06T01:00+10:30", "2024-10-06T03:00+11:00");
    assertThat(Fires.after("2024-10-06T01:40", Recurrence.cron("*/15 * * * *", lordHowe), 2))
        .containsExactly("2024-10-06T01:45+10:30", "2024-10-06T02:30+11:00");
  }

  @Test
  void ramadanEndsInCasablanca() {
    Recurrence recurrence = Recurrence.cron("30 2 * * *", ZoneId.of("Africa/Casablanca"));

    assertThat(Fires.after("2024-04-13T12:00", recurrence, 2))
        .containsExactly("2024-04-14T03:00+01:00", "2024-04-15T02:30+01:00");
  }

  @Test
  void aGapMayBeAWholeDay() {
    ZoneId apia = ZoneId.of("Pacific/Apia");

    assertThat(Fires.after("2011-12-28T12:00", Recurrence.daily(LocalTime.of(9, 0), apia), 4))
        .as("the fire of the 30th, which never was, and that of the 31st")
        .containsExactly(
            "2011-12-29T09:00-10:00",
            "2011-12-31T00:00+14:00",
            "2011-12-31T09:00+14:00",
            "2012-01-01T09:00+14:00");
    assertThat(Fires.after("2011-12-29T22:30", Recurrence.cron("0 * * * *", apia), 3))
        .containsExactly(
            "2011-12-29T23:00-10:00", "2011-12-31T00:00+14:00", "2011-12-31T01:00+14:00");
    assertThat(Fires.after("2011-12-01T00:00", Recurrence.cron("0 * 30 12 *", apia), 1))
        .containsExactly("2012-12-30T00:00+14:00");
  }

  @Test
  void zonesWithoutChangesHaveNone() {
    Recurrence recurrence = Recurrence.cron("30 2 * * *", ZoneId.of("Asia/Kathmandu"));

    assertThat(Fires.after("2024-03-30T12:00", recurrence, 2))
        .containsExactly("2024-03-31T02:30+05:45", "2024-04-01T02:30+05:45");
    assertThat(
            Fires.after("2024-03-30T12:00", Recurrence.cron("30 2 * * *", ZoneId.of("+05:45")), 2))
        .containsExactly("2024-03-31T02:30+05:45", "2024-04-01T02:30+05:45");
  }
}
