package dev.holdfast.schedule;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.internal.Require;
import java.time.LocalDate;
import java.util.Locale;
import java.util.Map;

/**
 * A cron expression that was understood.
 *
 * @param text the expression in one spelling: upper case, single blanks, without macros
 */
record CronExpression(String text, DaySet days, TimeOfDaySet times) {
  /** Longer than any sensible expression, short enough for a column. */
  private static final int MAX = 256;

  private static final Map<String, String> MACROS =
      Map.of(
          "@YEARLY", "0 0 1 1 *",
          "@ANNUALLY", "0 0 1 1 *",
          "@MONTHLY", "0 0 1 * *",
          "@WEEKLY", "0 0 * * 0",
          "@DAILY", "0 0 * * *",
          "@MIDNIGHT", "0 0 * * *",
          "@HOURLY", "0 * * * *");

  /** The calendar repeats itself after 400 years, weekdays included. */
  private static final long CYCLE_START = LocalDate.of(2000, 1, 1).toEpochDay();

  private static final long CYCLE_END = LocalDate.of(2399, 12, 31).toEpochDay();

  static CronExpression parse(String expression) {
    Require.notNull(expression, "cron expression");
    Require.that(
        expression.length() <= MAX,
        "cron expression must have at most " + MAX + " characters, had " + expression.length());
    Require.notBlank(expression, "cron expression");
    Require.that(
        expression.chars().allMatch(c -> c == '\t' || (c >= ' ' && c <= '~')),
        "cron expression must be printable ASCII, was '" + expression + "'");
    String plain = expression.toUpperCase(Locale.ROOT).replace('\t', ' ').strip();
    String[] fields = expand(plain).split(" +", -1);
    Require.that(
        fields.length == 5 || fields.length == 6,
        "cron expression must have 5 fields (minute hour day-of-month month day-of-week), or 6"
            + " with the second first, had "
            + fields.length
            + ": '"
            + expression
            + "'");
    return parse(fields, new CronParser(expression));
  }

  private static String expand(String plain) {
    if (!plain.startsWith("@")) {
      return plain;
    }
    String expanded = MACROS.get(plain);
    if (expanded == null) {
      throw new InvalidArgumentException(
          "cron macro must be one of @hourly, @daily, @midnight, @weekly, @monthly, @yearly,"
              + " @annually, was '"
              + plain
              + "'");
    }
    return expanded;
  }

  private static CronExpression parse(String[] fields, CronParser reader) {
    int minute = fields.length - 5;
    long second = minute == 0 ? 1 : reader.numbers(CronField.SECOND, fields[0]);
    TimeOfDaySet times =
        new TimeOfDaySet(
            second,
            reader.numbers(CronField.MINUTE, fields[minute]),
            reader.numbers(CronField.HOUR, fields[minute + 1]));
    DaySet ofMonth = reader.daysOfMonth(fields[minute + 2]);
    DaySet ofWeek = reader.daysOfWeek(fields[minute + 4]);
    boolean either =
        CronParser.isRestricted(fields[minute + 2]) && CronParser.isRestricted(fields[minute + 4]);
    DaySet days =
        (either ? ofMonth.or(ofWeek) : ofMonth.and(ofWeek))
            .inMonths(reader.numbers(CronField.MONTH, fields[minute + 3]));
    Require.that(
        days.next(CYCLE_START, CYCLE_END).isPresent(),
        "cron expression must fire on some day, but no year has such a day: '"
            + reader.expression()
            + "'");
    return new CronExpression(String.join(" ", fields), days, times);
  }
}
