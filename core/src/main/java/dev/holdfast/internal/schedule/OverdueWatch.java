package dev.holdfast.internal.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How long a runner has seen due schedules that it could not fire. A short time is normal: another
 * instance fires them at the moment. For one thread.
 */
final class OverdueWatch {
  /** A schedule that is due, by the clock of the database. */
  record Overdue(String name, Instant due) {}

  private final Duration tolerated;
  private final Map<Overdue, Long> since = new HashMap<>();

  OverdueWatch(Duration tolerated) {
    this.tolerated = tolerated;
  }

  /** Notes what was due after a check; returns a message about one that is due for too long. */
  Optional<String> check(List<Overdue> overdue, long nowNanos) {
    since.keySet().retainAll(overdue);
    overdue.forEach(one -> since.putIfAbsent(one, nowNanos));
    for (Overdue one : overdue) {
      Duration seenFor = Duration.ofNanos(nowNanos - since.getOrDefault(one, nowNanos));
      if (seenFor.compareTo(tolerated) > 0) {
        return Optional.of(message(one, seenFor));
      }
    }
    return Optional.empty();
  }

  private static String message(Overdue overdue, Duration seenFor) {
    return "schedule '"
        + overdue.name()
        + "' was due at "
        + overdue.due()
        + " and has not fired for "
        + seenFor.toSeconds()
        + " s; retrying: another session holds its row lock, or its definition cannot be read"
        + " (schedule-unreadable in the log)";
  }
}
