package dev.holdfast.schedule;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.List;

/** Fires as the local clock shows them, with the offset: {@code 2024-03-10T03:00-04:00}. */
final class Fires {
  static final ZoneId UTC = ZoneId.of("UTC");
  static final ZoneId NEW_YORK = ZoneId.of("America/New_York");
  static final ZoneId MADRID = ZoneId.of("Europe/Madrid");

  private Fires() {}

  /** The next fires after a local time; where that comes twice, after the first one. */
  static List<String> after(String local, Recurrence recurrence, int count) {
    Instant after = LocalDateTime.parse(local).atZone(recurrence.zone()).toInstant();
    return shown(recurrence, recurrence.next(after, count));
  }

  /** All fires after the start of one local day up to the start of another. */
  static List<String> between(String firstDay, String lastDay, Recurrence recurrence) {
    Instant from = LocalDateTime.parse(firstDay + "T00:00").atZone(recurrence.zone()).toInstant();
    Instant to = LocalDateTime.parse(lastDay + "T00:00").atZone(recurrence.zone()).toInstant();
    return shown(recurrence, recurrence.between(from, to));
  }

  private static List<String> shown(Recurrence recurrence, List<Instant> fires) {
    return fires.stream()
        .map(fire -> fire.atZone(recurrence.zone()).toOffsetDateTime().toString())
        .toList();
  }
}
