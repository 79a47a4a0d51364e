package dev.holdfast.guard;

import dev.holdfast.internal.Require;
import java.time.Duration;

/** Stands for the clock of the database and a time, which may be negative. */
record CurrentTimePlus(String column, Duration time) {
  private static final Duration MIN = Duration.ofDays(-365);
  private static final Duration MAX = Duration.ofDays(365_000);

  CurrentTimePlus {
    Require.notNull(time, "the time to add to now in '" + column + "'");
    Require.that(
        time.compareTo(MIN) >= 0 && time.compareTo(MAX) <= 0,
        () ->
            "the time to add to now in '%s' must be from %d to %d days, was %s"
                .formatted(column, MIN.toDays(), MAX.toDays(), time));
  }

  @Override
  public String toString() {
    return "now + " + time;
  }
}
