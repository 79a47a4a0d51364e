package dev.holdfast.schedule;

import java.time.LocalTime;
import java.util.OptionalInt;

/** The times of a day at which a recurrence fires; three sets of numbers, bit n for number n. */
record TimeOfDaySet(long seconds, long minutes, long hours) {
  private static final long ALL_HOURS = (1L << 24) - 1;

  static TimeOfDaySet at(LocalTime time) {
    return new TimeOfDaySet(1L << time.getSecond(), 1L << time.getMinute(), 1L << time.getHour());
  }

  /** Whether no hour is left out: what decides how a change of the clock is met. */
  boolean everyHour() {
    return hours == ALL_HOURS;
  }

  int first() {
    return secondOfDay(first(hours), first(minutes), first(seconds));
  }

  /** The first of these times that is not before the given second of the day. */
  OptionalInt next(int secondOfDay) {
    int hour = secondOfDay / 3600;
    int minute = secondOfDay / 60 % 60;
    int second = secondOfDay % 60;
    if (has(hours, hour)) {
      if (has(minutes, minute) && from(seconds, second) != 0) {
        return OptionalInt.of(secondOfDay(hour, minute, first(from(seconds, second))));
      }
      long laterMinutes = from(minutes, minute + 1);
      if (laterMinutes != 0) {
        return OptionalInt.of(secondOfDay(hour, first(laterMinutes), first(seconds)));
      }
    }
    long laterHours = from(hours, hour + 1);
    return laterHours == 0
        ? OptionalInt.empty()
        : OptionalInt.of(secondOfDay(first(laterHours), first(minutes), first(seconds)));
  }

  private static int secondOfDay(int hour, int minute, int second) {
    return (hour * 60 + minute) * 60 + second;
  }

  private static boolean has(long numbers, int number) {
    return (numbers & (1L << number)) != 0;
  }

  private static long from(long numbers, int least) {
    return numbers & (-1L << least);
  }

  private static int first(long numbers) {
    return Long.numberOfTrailingZeros(numbers);
  }
}
