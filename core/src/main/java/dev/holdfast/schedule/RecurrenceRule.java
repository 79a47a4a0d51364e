package dev.holdfast.schedule;

import java.time.ZoneId;
import java.util.OptionalLong;

/** When something recurs, without bounds; in epoch seconds, as every fire is at a whole second. */
sealed interface RecurrenceRule permits CalendarRule, IntervalRule {
  /** The first fire after the given second; nothing if it would be far beyond the year 9999. */
  OptionalLong next(long after);

  ZoneId zone();

  /** The rule as it is stored; two rules with the same text are the same. */
  String text();
}
