package dev.holdfast.schedule;

import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.MonthDay;
import java.time.YearMonth;
import java.util.OptionalLong;
import java.util.Set;

/** The days on which a recurrence fires: of each month a set of days, bit n for day n. */
@FunctionalInterface
interface DaySet {
  DaySet ALL = month -> upTo(month.lengthOfMonth());
  DaySet LAST_OF_MONTH = month -> 1 << month.lengthOfMonth();
  DaySet LAST_WEEKDAY_OF_MONTH = month -> nearestWeekday(month, month.lengthOfMonth());

  /** So many days before the last of a month; months that are too short go without. */
  static DaySet beforeLast(int days) {
    return month -> days < month.lengthOfMonth() ? 1 << (month.lengthOfMonth() - days) : 0;
  }

  int in(YearMonth month);

  /** The first of these days, as epoch days, from the one given to the last one to look at. */
  default OptionalLong next(long from, long last) {
    LocalDate start = LocalDate.ofEpochDay(from);
    YearMonth month = YearMonth.of(start.getYear(), start.getMonth());
    int days = in(month) & (-1 << start.getDayOfMonth());
    while (days == 0) {
      month = month.plusMonths(1);
      if (month.atDay(1).toEpochDay() > last) {
        return OptionalLong.empty();
      }
      days = in(month);
    }
    long day = month.atDay(Integer.numberOfTrailingZeros(days)).toEpochDay();
    return day > last ? OptionalLong.empty() : OptionalLong.of(day);
  }

  default boolean has(long epochDay) {
    LocalDate date = LocalDate.ofEpochDay(epochDay);
    return (in(YearMonth.of(date.getYear(), date.getMonth())) & (1 << date.getDayOfMonth())) != 0;
  }

  default DaySet or(DaySet other) {
    return month -> in(month) | other.in(month);
  }

  default DaySet and(DaySet other) {
    return month -> in(month) & other.in(month);
  }

  /** Only in the given months; bit n for month n. */
  default DaySet inMonths(long months) {
    return month -> (months & (1L << month.getMonthValue())) == 0 ? 0 : in(month);
  }

  /** Days by number; months that are too short go without. */
  static DaySet numbered(long days) {
    return month -> (int) days & upTo(month.lengthOfMonth());
  }

  /** The day of each month; the last one of months that are too short. */
  static DaySet monthly(int day) {
    return month -> 1 << Math.min(day, month.lengthOfMonth());
  }

  static DaySet yearly(MonthDay day, Recurrence.LeapDay leapDay) {
    MonthDay common = leapDay.inCommonYear(day);
    return month -> {
      MonthDay wanted = month.isLeapYear() ? day : common;
      return wanted.getMonth() == month.getMonth() ? 1 << wanted.getDayOfMonth() : 0;
    };
  }

  static DaySet weekdays(Set<DayOfWeek> weekdays) {
    return month -> {
      int days = 0;
      for (DayOfWeek weekday : weekdays) {
        for (int day = first(month, weekday); day <= month.lengthOfMonth(); day += 7) {
          days |= 1 << day;
        }
      }
      return days;
    };
  }

  /** The first, second … fifth such weekday of a month; months without a fifth go without. */
  static DaySet nth(DayOfWeek weekday, int n) {
    return month -> {
      int day = first(month, weekday) + 7 * (n - 1);
      return day <= month.lengthOfMonth() ? 1 << day : 0;
    };
  }

  static DaySet last(DayOfWeek weekday) {
    return month -> {
      int first = first(month, weekday);
      return 1 << (first + (month.lengthOfMonth() - first) / 7 * 7);
    };
  }

  /** Monday to Friday, nearest to a day and in its month; months without that day go without. */
  static DaySet nearestWeekday(int day) {
    return month -> day > month.lengthOfMonth() ? 0 : nearestWeekday(month, day);
  }

  private static int nearestWeekday(YearMonth month, int day) {
    return switch (month.atDay(day).getDayOfWeek()) {
      case SATURDAY -> 1 << (day > 1 ? day - 1 : day + 2);
      case SUNDAY -> 1 << (day < month.lengthOfMonth() ? day + 1 : day - 2);
      default -> 1 << day;
    };
  }

  private static int first(YearMonth month, DayOfWeek weekday) {
    int ahead = weekday.getValue() - month.atDay(1).getDayOfWeek().getValue();
    return 1 + Math.floorMod(ahead, 7);
  }

  private static int upTo(int day) {
    return (int) ((1L << (day + 1)) - 2);
  }
}
