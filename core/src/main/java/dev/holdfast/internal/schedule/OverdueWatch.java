package dev.holdfast.internal.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * For how long a runner has seen schedules that are due and that it could not fire. A short time is
 * normal: then another instance fires them at the moment. For one thread.
 */
final class OverdueWatch {
  /** A schedule that is due, by the clock of the database. */
  record Overdue(String name, Instant due) {}

  private final Duration patience;
  private final Map<Overdue, Long> since = new HashMap<>();

  OverdueWatch(Duration patience) {
    this.patience = patience;
  }

  /** What was left after a look; returns a message about one that has been left for too long. */
  Optional<String> left(List<Overdue> overdue, long nowNanos) {
    since.keySet().retainAll(overdue);
    overdue.forEach(one -> since.putIfAbsent(one, nowNanos));
    for (Overdue one : overdue) {
      Duration seenFor = Duration.ofNanos(nowNanos - since.getOrDefault(one, nowNanos));
      if (seenFor.compareTo(patience) > 0) {
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
