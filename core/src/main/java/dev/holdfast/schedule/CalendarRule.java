package dev.holdfast.schedule;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Local times in a zone, and their fires when the clock is changed.
 *
 * <p>A local time is handled as the number of seconds since 1970-01-01T00:00 on the local clock.
 */
record CalendarRule(String pattern, DaySet days, TimeOfDaySet times, ZoneId zone)
    implements RecurrenceRule {
  private static final long DAY = 86_400;

  /** A zone that is ahead of UTC is in the next year already when the last second comes. */
  private static final long LAST_DAY = LocalDate.of(10_000, 1, 1).toEpochDay();

  @Override
  public OptionalLong next(long after) {
    return times.everyHour() ? nextOfEveryHour(after) : nextOfFixedTimes(after);
  }

  @Override
  public String text() {
    return pattern + " in " + zone.getId();
  }

  /**
   * Each local time happens exactly once, in the order of the local clock: the first time round in
   * an overlap, at the end of a gap it falls into. So the local times that are not over yet are
   * those after the local time that it is, or after the whole overlap in its second round.
   */
  private OptionalLong nextOfFixedTimes(long after) {
    ZoneRules rules = zone.getRules();
    ZoneOffset offset = rules.getOffset(Instant.ofEpochSecond(after));
    long from = after + offset.getTotalSeconds() + 1;
    ZoneOffsetTransition change = rules.getTransition(clock(from - 1));
    if (change != null && change.isOverlap() && after >= change.toEpochSecond()) {
      from = local(change.getDateTimeBefore());
    }
    OptionalLong next = nextLocal(from);
    return next.isEmpty() ? next : OptionalLong.of(instantOf(rules, next.getAsLong()));
  }

  private static long instantOf(ZoneRules rules, long local) {
    LocalDateTime clock = clock(local);
    ZoneOffsetTransition change = rules.getTransition(clock);
    if (change == null) {
      return local - rules.getOffset(clock).getTotalSeconds();
    }
    return change.isGap()
        ? change.toEpochSecond()
        : local - change.getOffsetBefore().getTotalSeconds();
  }

  /** Every instant at which the local clock shows one of the times; offset after offset. */
  private OptionalLong nextOfEveryHour(long after) {
    ZoneRules rules = zone.getRules();
    long from = after + 1;
    while (true) {
      Instant start = Instant.ofEpochSecond(from);
      int offset = rules.getOffset(start).getTotalSeconds();
      OptionalLong local = nextLocal(from + offset);
      if (local.isEmpty()) {
        return local;
      }
      long next = local.getAsLong() - offset;
      ZoneOffsetTransition change = rules.nextTransition(start);
      if (change == null || next < change.toEpochSecond()) {
        return OptionalLong.of(next);
      }
      from = change.toEpochSecond();
    }
  }

  /** The first local time of the pattern that is not before the given one. */
  private OptionalLong nextLocal(long from) {
    long day = Math.floorDiv(from, DAY);
    if (days.has(day)) {
      OptionalInt time = times.next((int) Math.floorMod(from, DAY));
      if (time.isPresent()) {
        return OptionalLong.of(day * DAY + time.getAsInt());
      }
    }
    OptionalLong later = days.next(day + 1, LAST_DAY);
    return later.isEmpty() ? later : OptionalLong.of(later.getAsLong() * DAY + times.first());
  }

  private static LocalDateTime clock(long local) {
    return LocalDateTime.ofEpochSecond(local, 0, ZoneOffset.UTC);
  }

  private static long local(LocalDateTime clock) {
    return clock.toEpochSecond(ZoneOffset.UTC);
  }
}
