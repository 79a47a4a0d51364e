package dev.holdfast.web.stats;

import java.time.Duration;

/** Durations as people say them. */
final class Words {
  private Words() {}

  /** Such as {@code 45 s}, {@code 3 min}, {@code hour} for just one, {@code 5 h} or {@code 2 d}. */
  static String duration(Duration duration) {
    if (duration.equals(Duration.ofHours(1))) {
      return "hour";
    }
    if (duration.toMinutes() < 1) {
      return duration.toSeconds() + " s";
    }
    if (duration.toMinutes() < 120) {
      return duration.toMinutes() + " min";
    }
    return duration.toHours() < 48 ? duration.toHours() + " h" : duration.toDays() + " d";
  }
}
