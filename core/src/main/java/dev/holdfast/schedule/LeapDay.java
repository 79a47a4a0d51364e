package dev.holdfast.schedule;

import java.time.MonthDay;

/** When something that recurs on 29 February happens in a year that has none. */
public enum LeapDay {
  /** On the last day of February; the default. */
  FEBRUARY_28(MonthDay.of(2, 28)),
  /** On the day after February. */
  MARCH_1(MonthDay.of(3, 1));

  private static final MonthDay FEBRUARY_29 = MonthDay.of(2, 29);

  private final MonthDay substitute;

  LeapDay(MonthDay substitute) {
    this.substitute = substitute;
  }

  /** The day in a year of 365 days. */
  MonthDay inCommonYear(MonthDay day) {
    return day.equals(FEBRUARY_29) ? substitute : day;
  }
}
