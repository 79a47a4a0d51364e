package dev.holdfast.schedule;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.OptionalLong;

/** A fixed interval of elapsed time, counted from its first fire. */
record IntervalRule(Duration interval, Instant first) implements RecurrenceRule {
  @Override
  public OptionalLong next(long after) {
    long start = first.getEpochSecond();
    if (after < start) {
      return OptionalLong.of(start);
    }
    long step = interval.toSeconds();
    return OptionalLong.of(start + ((after - start) / step + 1) * step);
  }

  @Override
  public ZoneId zone() {
    return ZoneOffset.UTC;
  }

  @Override
  public String text() {
    return "every " + interval + " since " + first;
  }
}
