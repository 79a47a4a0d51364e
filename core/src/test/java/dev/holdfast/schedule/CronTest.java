package dev.holdfast.schedule;

import static dev.holdfast.schedule.Fires.UTC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a cron expression means, apart from zones. */
class CronTest {
  private static List<String> days(String dayFields, int count) {
    Recurrence recurrence = Recurrence.cron("0 0 " + dayFields, UTC);
    return Fires.after("2023-12-31T23:59", recurrence, count).stream()
        .map(fire -> fire.substring(0, 10))
        .toList();
  }

  private static List<String> times(String timeFields, int count) {
    Recurrence recurrence = Recurrence.cron(timeFields + " * * *", UTC);
    return Fires.after("2023-12-31T23:59:59", recurrence, count).stream()
        .map(fire -> fire.substring(0, fire.length() - 1))
        .toList();
  }

  @Test
  void fiveFieldsAreMinutesToWeekdays() {
    assertThat(Fires.after("2024-03-01T09:00", Recurrence.cron("30 9 * * MON-FRI", UTC), 2))
        .containsExactly("2024-03-01T09:30Z", "2024-03-04T09:30Z");
  }

  @Test
  void sixFieldsHaveTheSecondFirst() {
    assertThat(times("15/20 59 23", 4))
        .containsExactly(
            "2024-01-01T23:59:15",
            "2024-01-01T23:59:35",
            "2024-01-01T23:59:55",
            "2024-01-02T23:59:15");
  }

  @Test
  void listsRangesAndStepsMayBeMixed() {
    assertThat(times("5,50-52,*/40 7", 6))
        .containsExactly(
            "2024-01-01T07:00",
            "2024-01-01T07:05",
            "2024-01-01T07:40",
            "2024-01-01T07:50",
            "2024-01-01T07:51",
            "2024-01-01T07:52");
    assertThat(times("0 8-18/4", 4))
        .containsExactly(
            "2024-01-01T08:00", "2024-01-01T12:00", "2024-01-01T16:00", "2024-01-02T08:00");
  }

  @Test
  void theYearEndsAsItShould() {
    assertThat(Fires.after("2023-12-31T23:59:58", Recurrence.cron("* * * * * *", UTC), 2))
        .containsExactly("2023-12-31T23:59:59Z", "2024-01-01T00:00Z");
    assertThat(Fires.after("2023-12-31T00:00", Recurrence.cron("59 23 31 12 *", UTC), 2))
        .containsExactly("2023-12-31T23:59Z", "2024-12-31T23:59Z");
  }

  @Test
  void namesAreReadInAnyCase() {
    assertThat(days("1 feb,Nov-DEC *", 3))
        .containsExactly("2024-02-01", "2024-11-01", "2024-12-01");
    assertThat(days("* * mon", 1)).containsExactly("2024-01-01");
  }

  @Test
  void sundayIsZeroAndSeven() {
    List<String> sundays = List.of("2024-01-07", "2024-01-14");
    for (String sunday : List.of("0", "7", "SUN", "7-7", "0-0", "SUN-SUN")) {
      assertThat(days("* * " + sunday, 2)).as(sunday).isEqualTo(sundays);
    }
  }

  @Test
  void aWeekMayEndOnSunday() {
    List<String> longWeekend = List.of("2024-01-05", "2024-01-06", "2024-01-07", "2024-01-12");
    for (String range : List.of("5-7", "FRI-SUN", "5-0", "FRI-7")) {
      assertThat(days("* * " + range, 4)).as(range).isEqualTo(longWeekend);
    }
    assertThat(days("* * SUN/3", 3)).containsExactly("2024-01-03", "2024-01-06", "2024-01-07");
    assertThat(days("* * 7/3", 3)).containsExactly("2024-01-03", "2024-01-06", "2024-01-07");
    assertThat(days("* * 0-7", 8)).hasSize(8).endsWith("2024-01-08");
  }

  @Test
  void aQuestionMarkIsAStarForDays() {
    assertThat(days("? * MON", 2)).isEqualTo(days("* * MON", 2));
    assertThat(days("15 * ?", 2)).isEqualTo(days("15 * *", 2));
  }

  @Test
  void ofTwoRestrictedDayFieldsEitherIsEnough() {
    assertThat(days("13 * FRI", 4))
        .containsExactly("2024-01-05", "2024-01-12", "2024-01-13", "2024-01-19");
    assertThat(days("*/10 2 MON", 7))
        .containsExactly(
            "2024-02-01",
            "2024-02-05",
            "2024-02-11",
            "2024-02-12",
            "2024-02-19",
            "2024-02-21",
            "2024-02-26");
  }

  @Test
  void daysThatAMonthDoesNotHaveAreSkipped() {
    assertThat(days("31 * *", 4))
        .containsExactly("2024-01-31", "2024-03-31", "2024-05-31", "2024-07-31");
    assertThat(days("29 2 *", 3)).containsExactly("2024-02-29", "2028-02-29", "2032-02-29");
  }

  @Test
  void theYear2100IsNoLeapYear() {
    Recurrence leapDays = Recurrence.cron("0 0 29 2 *", UTC);

    assertThat(Fires.after("2096-02-29T00:00", leapDays, 1)).containsExactly("2104-02-29T00:00Z");
    assertThat(Fires.after("1996-02-29T00:00", leapDays, 1)).containsExactly("2000-02-29T00:00Z");
  }

  @Test
  void theLastDayOfTheMonth() {
    assertThat(days("L * *", 4))
        .containsExactly("2024-01-31", "2024-02-29", "2024-03-31", "2024-04-30");
    assertThat(days("15,L 2 *", 3)).containsExactly("2024-02-15", "2024-02-29", "2025-02-15");
  }

  @Test
  void daysBeforeTheLastOfTheMonth() {
    assertThat(days("L-3 * *", 4))
        .containsExactly("2024-01-28", "2024-02-26", "2024-03-28", "2024-04-27");
    assertThat(days("L-1,L 2 *", 3)).containsExactly("2024-02-28", "2024-02-29", "2025-02-27");
    assertThat(days("L-30 * *", 2)).containsExactly("2024-01-01", "2024-03-01");
  }

  /** Spring takes them too, and cron-utils two of them. */
  @Test
  void stepOfFieldWidthIsFirstValue() {
    assertThat(days("*/31 * *", 2)).containsExactly("2024-01-01", "2024-02-01");
    assertThat(days("1 */12 *", 2)).containsExactly("2024-01-01", "2025-01-01");
    assertThat(days("* * */7", 2)).containsExactly("2024-01-07", "2024-01-14");
    assertThat(Fires.after("2024-01-01T00:00", Recurrence.cron("*/60 * * * *", UTC), 2))
        .containsExactly("2024-01-01T01:00Z", "2024-01-01T02:00Z");
    assertThat(Fires.after("2024-01-01T00:00", Recurrence.cron("*/60 0 */24 * * *", UTC), 1))
        .containsExactly("2024-01-02T00:00Z");
  }

  /** Counted from Sunday, as in Unix; in Spring it is MON, WED, FRI, SUN. */
  @Test
  void aStepOfWeekdaysCountsFromSunday() {
    assertThat(days("* * */2", 4))
        .containsExactly("2024-01-02", "2024-01-04", "2024-01-06", "2024-01-07");
  }

  @Test
  void theLastWeekdayOfTheMonth() {
    assertThat(days("LW 3,6,8 *", 3)).containsExactly("2024-03-29", "2024-06-28", "2024-08-30");
  }

  @Test
  void theNearestWeekdayStaysInItsMonth() {
    assertThat(days("15W 6,9,10 *", 3)).containsExactly("2024-06-14", "2024-09-16", "2024-10-15");
    assertThat(days("1W 6,9,10 *", 3)).containsExactly("2024-06-03", "2024-09-02", "2024-10-01");
    assertThat(days("30W 6,11 *", 2)).containsExactly("2024-06-28", "2024-11-29");
    assertThat(days("31W 3,4 *", 2)).containsExactly("2024-03-29", "2025-03-31");
  }

  @Test
  void theNthWeekdayOfTheMonth() {
    assertThat(days("* * MON#1", 3)).containsExactly("2024-01-01", "2024-02-05", "2024-03-04");
    assertThat(days("* * 4#5", 3)).containsExactly("2024-02-29", "2024-05-30", "2024-08-29");
    assertThat(days("* * SUN#1,7#2", 2)).containsExactly("2024-01-07", "2024-01-14");
  }

  @Test
  void aFifthSundayOfFebruaryMayTakeFortyYears() {
    Recurrence rare = Recurrence.cron("0 0 * 2 SUN#5", UTC);

    assertThat(Fires.after("2088-02-29T00:00", rare, 1)).containsExactly("2128-02-29T00:00Z");
  }

  @Test
  void theLastSuchWeekdayOfTheMonth() {
    assertThat(days("* * 5L", 3)).containsExactly("2024-01-26", "2024-02-23", "2024-03-29");
    assertThat(days("* * FRIL,THUL", 3)).containsExactly("2024-01-25", "2024-01-26", "2024-02-23");
    assertThat(days("* 2 0L,7L", 1)).containsExactly("2024-02-25");
  }

  @Test
  void macrosAreTheirExpressions() {
    assertThat(Recurrence.cron("@hourly", UTC)).isEqualTo(Recurrence.cron("0 * * * *", UTC));
    assertThat(Recurrence.cron("@daily", UTC)).isEqualTo(Recurrence.cron("0 0 * * *", UTC));
    assertThat(Recurrence.cron(" @Midnight ", UTC)).isEqualTo(Recurrence.cron("@daily", UTC));
    assertThat(Recurrence.cron("@weekly", UTC)).isEqualTo(Recurrence.cron("0 0 * * 0", UTC));
    assertThat(Recurrence.cron("@monthly", UTC)).isEqualTo(Recurrence.cron("0 0 1 * *", UTC));
    assertThat(Recurrence.cron("@yearly", UTC)).isEqualTo(Recurrence.cron("0 0 1 1 *", UTC));
    assertThat(Recurrence.cron("@annually", UTC)).isEqualTo(Recurrence.cron("@yearly", UTC));
  }

  @Test
  void anExpressionThatNeverFiresIsRefused() {
    for (String never :
        List.of("0 0 31 2 *", "0 0 30 2 ?", "0 0 31 4,6,9,11 *", "0 0 31W 6 *", "0 0 30W 2 *")) {
      assertThatThrownBy(() -> Recurrence.cron(never, UTC))
          .isInstanceOf(InvalidArgumentException.class)
          .hasMessageContaining("must fire on some day")
          .hasMessageContaining(never);
    }
    assertThat(days("31 2 MON", 1)).containsExactly("2024-02-05");
  }
}
