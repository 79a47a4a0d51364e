package dev.holdfast.schedule;

import dev.holdfast.internal.Require;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * When something recurs: by a cron expression, at a local time of days, or at a fixed interval.
 *
 * <pre>{@code
 * Recurrence.cron("0 9 * * MON-FRI", ZoneId.of("Europe/Madrid")).next(after)
 * }</pre>
 *
 * <p>Guarantee: the same recurrence and the same rules of the zone give the same fires everywhere,
 * each at a whole second, each after the one before it. They depend on the rules of the zone only:
 * there is no clock and no state.
 *
 * <p>When the clock of the zone is changed:
 *
 * <ul>
 *   <li><b>Fixed times</b> (all but the two below) happen once for each local time. A time that is
 *       skipped happens at the first instant after the gap; several that are skipped by the same
 *       gap, and one that is due at its end, are one fire. A time that comes twice happens the
 *       first time.
 *   <li><b>Every hour</b>: a cron expression whose hour field covers all 24 hours ({@code
 *       @hourly}, <code>*&#47;15 * * * *</code>) fires at every instant at which the local clock shows a
 *       time of it: twice if it is set back, not at all in a gap.
 *   <li><b>Intervals</b> ({@link #every}) are elapsed time and know nothing of the clock.
 * </ul>
 *
 * <p>Not guaranteed: fires far ahead, because a government may still change the rules of the zone.
 * Fires lie in the years 1 to 9999 (UTC). Without {@link #startingAt} and {@link #endingAt} there
 * are no other bounds. A zone may be a fixed offset, which never changes its clock.
 *
 * <p>Two recurrences are equal if their {@link #format() texts} are. Immutable and thread-safe.
 */
public final class Recurrence {
  private static final int MAX_FIRES = 100_000;
  private static final int MAX_ZONE_LENGTH = 64;
  private static final Duration MIN = Duration.ofSeconds(1);
  private static final Duration MAX = Duration.ofDays(36_525);

  private final RecurrenceRule rule;
  private final RecurrenceBounds bounds;
  private final String text;

  private Recurrence(RecurrenceRule rule, RecurrenceBounds bounds) {
    this.rule = rule;
    this.bounds = bounds;
    this.text = rule.text() + bounds.text();
  }

  /**
   * By a cron expression of five fields (minute, hour, day of month, month, day of week), or six
   * with the second first.
   *
   * <p>Each field is {@code *}, or a list of numbers, ranges ({@code 9-17}) and steps (<code>
   * *&#47;15</code>, {@code 5-50/15}, {@code 5/15}). Months and weekdays also have names ({@code
   * JAN}, {@code MON}), in any case; Sunday is 0 and 7. Ranges that run backwards and steps wider
   * than the field are rejected; only a week may end on Sunday ({@code FRI-SUN}). Days of the month
   * may be {@code L} (the last), {@code 15W} (the weekday from Monday to Friday that is nearest to
   * the 15th and in the same month) and {@code LW} (the last such weekday); days of the week {@code
   * MON#1} (the first Monday) and {@code FRIL} (the last Friday). In both, {@code ?} is {@code *}.
   * If neither of them is {@code *}, a day that fits one of them fits.
   *
   * <p>Also {@code @hourly}, {@code @daily} or {@code @midnight}, {@code @weekly} (Sunday),
   * {@code @monthly} and {@code @yearly} or {@code @annually}. An expression that never fires, as
   * on 31 February, is rejected.
   */
  public static Recurrence cron(String expression, ZoneId zone) {
    CronExpression cron = CronExpression.parse(expression);
    return calendar("cron " + cron.text(), cron.days(), cron.times(), zone);
  }

  /** Each day at a local time. */
  public static Recurrence daily(LocalTime time, ZoneId zone) {
    return calendar("daily", DaySet.ALL, time, zone);
  }

  /** On some days of each week at a local time. */
  public static Recurrence weekly(Set<DayOfWeek> weekdays, LocalTime time, ZoneId zone) {
    Require.notNull(weekdays, "weekdays").forEach(day -> Require.notNull(day, "weekday"));
    Require.that(!weekdays.isEmpty(), "weekdays must not be empty");
    Set<DayOfWeek> days = EnumSet.copyOf(weekdays);
    return calendar("weekly " + RecurrenceFormat.of(days), DaySet.weekdays(days), time, zone);
  }

  /** Each month on a day from 1 to 31 at a local time; on the last day of months without it. */
  public static Recurrence monthly(int day, LocalTime time, ZoneId zone) {
    Require.between(day, 1, 31, "day of the month");
    return calendar("monthly " + day, DaySet.monthly(day), time, zone);
  }

  /** Each year on a day at a local time; for 29 February in other years on the 28th. */
  public static Recurrence yearly(MonthDay day, LocalTime time, ZoneId zone) {
    return yearly(day, LeapDay.FEBRUARY_28, time, zone);
  }

  /** Each year on a day at a local time, with a choice for 29 February in other years. */
  public static Recurrence yearly(MonthDay day, LeapDay leapDay, LocalTime time, ZoneId zone) {
    Require.notNull(day, "day of the year");
    Require.notNull(leapDay, "leap day");
    return calendar(
        "yearly " + RecurrenceFormat.of(day, leapDay), DaySet.yearly(day, leapDay), time, zone);
  }

  /**
   * At a fixed interval of elapsed time, from a second to 36525 days, first at the given instant.
   *
   * <p>Interval and first fire are whole seconds. The first fire belongs to the text of the
   * recurrence: one that is taken from the clock makes another recurrence at each start.
   */
  public static Recurrence every(Duration interval, Instant first) {
    Require.between(interval, MIN, MAX, "interval");
    Require.that(interval.toNanosPart() == 0, "interval must be in whole seconds, was " + interval);
    RecurrenceBounds.second(first, "first fire");
    return new Recurrence(new IntervalRule(interval, first), RecurrenceBounds.WIDEST);
  }

  private static Recurrence calendar(String kind, DaySet days, LocalTime time, ZoneId zone) {
    Require.notNull(time, "time of the day");
    Require.that(
        time.truncatedTo(ChronoUnit.SECONDS).equals(time),
        "time of the day must be a whole second, was " + time);
    return calendar(kind + " " + time, days, TimeOfDaySet.at(time), zone);
  }

  private static Recurrence calendar(String pattern, DaySet days, TimeOfDaySet times, ZoneId zone) {
    Require.notNull(zone, "zone");
    Require.that(
        zone.getId().length() <= MAX_ZONE_LENGTH,
        "zone must have at most " + MAX_ZONE_LENGTH + " characters, was " + zone);
    return new Recurrence(new CalendarRule(pattern, days, times, zone), RecurrenceBounds.WIDEST);
  }

  /** The same with no fire before the given instant, a whole second; at it there may be one. */
  public Recurrence startingAt(Instant start) {
    return new Recurrence(rule, bounds.startingAt(start));
  }

  /** The same with no fire after the given instant, a whole second; at it there may be one. */
  public Recurrence endingAt(Instant end) {
    return new Recurrence(rule, bounds.endingAt(end));
  }

  /** The first fire strictly after an instant; nothing after the end, nor after the year 9999. */
  public Optional<Instant> next(Instant after) {
    long from = Math.max(Require.notNull(after, "after").getEpochSecond(), bounds.start() - 1);
    if (from >= bounds.end()) {
      return Optional.empty();
    }
    OptionalLong next = rule.next(from);
    return next.isEmpty() || next.getAsLong() > bounds.end()
        ? Optional.empty()
        : Optional.of(Instant.ofEpochSecond(next.getAsLong()));
  }

  /** The first fires strictly after an instant, from 1 to 100000 of them; fewer if it ends. */
  public List<Instant> next(Instant after, int count) {
    Require.between(count, 1, MAX_FIRES, "count");
    List<Instant> fires = new ArrayList<>();
    Optional<Instant> fire = next(after);
    while (fire.isPresent()) {
      fires.add(fire.get());
      fire = fires.size() < count ? next(fire.get()) : Optional.empty();
    }
    return List.copyOf(fires);
  }

  /**
   * All fires strictly after an instant, up to and including another: windows that follow each
   * other neither miss a fire nor have one twice. More than 100000 fires are rejected.
   */
  public List<Instant> between(Instant after, Instant upTo) {
    Require.notNull(after, "after");
    Require.notNull(upTo, "upTo");
    Require.that(!upTo.isBefore(after), "upTo must not be before " + after + ", was " + upTo);
    List<Instant> fires = new ArrayList<>();
    Optional<Instant> fire = next(after);
    while (fire.isPresent() && !fire.get().isAfter(upTo)) {
      Require.that(
          fires.size() < MAX_FIRES,
          "between(after, upTo) must hold at most "
              + MAX_FIRES
              + " fires, held more from "
              + after
              + " to "
              + upTo
              + " of '"
              + this
              + "'");
      fires.add(fire.get());
      fire = next(fire.get());
    }
    return List.copyOf(fires);
  }

  /** The zone of the local times; UTC for intervals. */
  public ZoneId zone() {
    return rule.zone();
  }

  /**
   * The recurrence as one line of at most 400 ASCII characters, such as {@code daily 09:00 in
   * Europe/Madrid}; {@link #parse} returns an equal recurrence.
   */
  public String format() {
    return text;
  }

  /** Parses the text of {@link #format}. */
  public static Recurrence parse(String text) {
    return RecurrenceFormat.parse(text);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Recurrence recurrence && text.equals(recurrence.text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  @Override
  public String toString() {
    return text;
  }

  /** The day on which a yearly recurrence of 29 February falls in a year that has none. */
  public enum LeapDay {
    /** The last day of February; the default. */
    FEBRUARY_28(MonthDay.of(2, 28)),
    /** The day after February. */
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
}
