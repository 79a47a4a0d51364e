package dev.holdfast.schedule;

import dev.holdfast.internal.Require;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The first and the last second at which a recurrence may fire. */
record RecurrenceBounds(long start, long end) {
  private static final long FIRST = Instant.parse("0001-01-01T00:00:00Z").getEpochSecond();
  private static final long LAST = Instant.parse("9999-12-31T23:59:59Z").getEpochSecond();

  static final RecurrenceBounds WIDEST = new RecurrenceBounds(FIRST, LAST);

  RecurrenceBounds {
    Require.that(
        start <= end,
        "the end of a recurrence must not be before its start, was "
            + Instant.ofEpochSecond(end)
            + " with the start "
            + Instant.ofEpochSecond(start));
  }

  RecurrenceBounds startingAt(Instant instant) {
    return new RecurrenceBounds(second(instant, "start"), end);
  }

  RecurrenceBounds endingAt(Instant instant) {
    return new RecurrenceBounds(start, second(instant, "end"));
  }

  /**
   * Refuses what is no whole second: whole seconds survive every column of every database, and an
   * instant that was taken from the clock would make another recurrence at each start.
   */
  static long second(@Nullable Instant instant, String name) {
    Instant given = Require.notNull(instant, name);
    long second = given.getEpochSecond();
    String rule = name + " must be a whole second of the years 1 to 9999, was " + given;
    Require.that(second >= FIRST && second <= LAST, rule);
    Require.that(given.getNano() == 0, rule + "; use a fixed instant, or truncatedTo(SECONDS)");
    return second;
  }

  String text() {
    return (start == FIRST ? "" : " from " + Instant.ofEpochSecond(start))
        + (end == LAST ? "" : " until " + Instant.ofEpochSecond(end));
  }
}
