package dev.holdfast.schedule;

import static dev.holdfast.schedule.CronField.DAY_OF_MONTH;
import static dev.holdfast.schedule.CronField.DAY_OF_WEEK;

import dev.holdfast.InvalidArgumentException;
import java.time.DayOfWeek;
import java.util.EnumSet;
import java.util.Set;

/**
 * Reads the fields of a cron expression, and says what is wrong with them.
 *
 * @param expression the whole expression, for messages
 */
record CronParser(String expression) {
  private static final DaySet NEVER = month -> 0;

  /** A set of numbers, bit n for number n. */
  long numbers(CronField field, String text) {
    long numbers = 0;
    for (String item : text.split(",", -1)) {
      numbers |= item(field, item);
    }
    return numbers;
  }

  /** Whether a field for days says which. */
  static boolean isRestricted(String text) {
    return !text.equals("*") && !text.equals("?");
  }

  DaySet daysOfMonth(String text) {
    if (!isRestricted(text)) {
      return DaySet.ALL;
    }
    long numbers = 0;
    DaySet special = NEVER;
    for (String item : text.split(",", -1)) {
      if (item.equals("L")) {
        special = special.or(DaySet.LAST_OF_MONTH);
      } else if (item.equals("LW")) {
        special = special.or(DaySet.LAST_WEEKDAY_OF_MONTH);
      } else if (item.startsWith("L-")) {
        special = special.or(DaySet.beforeLast(daysBeforeLast(item)));
      } else if (item.endsWith("W")) {
        int day = number(DAY_OF_MONTH, item.substring(0, item.length() - 1), item);
        special = special.or(DaySet.nearestWeekday(day));
      } else {
        numbers |= item(DAY_OF_MONTH, item);
      }
    }
    return DaySet.numbered(numbers).or(special);
  }

  private int daysBeforeLast(String item) {
    int days = digits(item.substring(2));
    int most = DAY_OF_MONTH.most - DAY_OF_MONTH.least;
    if (days < 1 || days > most) {
      throw rejected("day-of-month must have a number from 1 to " + most + " after 'L-'", item);
    }
    return days;
  }

  DaySet daysOfWeek(String text) {
    if (!isRestricted(text)) {
      return DaySet.ALL;
    }
    Set<DayOfWeek> every = EnumSet.noneOf(DayOfWeek.class);
    DaySet special = NEVER;
    for (String item : text.split(",", -1)) {
      int hash = item.indexOf('#');
      if (hash >= 0) {
        int n = digits(item.substring(hash + 1));
        if (n < 1 || n > 5) {
          throw rejected("day-of-week must have a number from 1 to 5 after '#'", item);
        }
        special = special.or(DaySet.nth(weekday(item.substring(0, hash), item), n));
      } else if (item.endsWith("L")) {
        special = special.or(DaySet.last(weekday(item.substring(0, item.length() - 1), item)));
      } else {
        long numbers = item(DAY_OF_WEEK, item);
        for (DayOfWeek weekday : DayOfWeek.values()) {
          if ((numbers & (1L << weekday.getValue() % 7)) != 0) {
            every.add(weekday);
          }
        }
      }
    }
    return DaySet.weekdays(every).or(special);
  }

  private DayOfWeek weekday(String text, String item) {
    int number = number(DAY_OF_WEEK, text, item);
    return DayOfWeek.of(number == 0 ? 7 : number);
  }

  /** A number, a range, or all; with a step or without. */
  private long item(CronField field, String item) {
    int slash = item.indexOf('/');
    String range = slash < 0 ? item : item.substring(0, slash);
    int dash = range.indexOf('-');
    int from;
    int to;
    if (range.equals("*")) {
      from = field.least;
      to = field.most;
    } else if (dash >= 0) {
      from = number(field, range.substring(0, dash), item);
      to = number(field, range.substring(dash + 1), item);
      // A week may end on Sunday: FRI-SUN.
      to = field == DAY_OF_WEEK && to == 0 && from > 0 ? 7 : to;
    } else {
      from = number(field, range, item);
      from = field == DAY_OF_WEEK && from == 7 ? 0 : from;
      to = slash < 0 ? from : field.most;
    }
    if (from > to) {
      throw rejected(field + " must not have a range that runs backwards", item);
    }
    int step = slash < 0 ? 1 : step(field, item.substring(slash + 1), item);
    long numbers = 0;
    for (int number = from; number <= to; number += step) {
      numbers |= 1L << (field == DAY_OF_WEEK ? number % 7 : number);
    }
    return numbers;
  }

  /**
   * A step that is wider than the field would fire once and look like a longer interval, so it is
   * rejected. One that is as wide as the field means what it says.
   */
  private int step(CronField field, String text, String item) {
    int step = digits(text);
    int most = field.most - field.least + 1;
    if (step < 1 || step > most) {
      throw rejected(field + " must have a step from 1 to " + most, item);
    }
    return step;
  }

  private int number(CronField field, String text, String item) {
    int named = field.named(text);
    int number = named < 0 ? digits(text) : named;
    int most = field == DAY_OF_WEEK ? 7 : field.most;
    if (number < field.least || number > most) {
      throw rejected(field + " must be one of " + field.allowed(), item);
    }
    return number;
  }

  /** The number, or -1 if it is none or has more digits than any number of a cron expression. */
  private static int digits(String text) {
    boolean number =
        text.length() <= 2 && !text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9');
    return number ? Integer.parseInt(text) : -1;
  }

  private InvalidArgumentException rejected(String rule, String item) {
    return new InvalidArgumentException(
        rule + ", was '" + item + "' in cron expression '" + expression + "'");
  }
}
