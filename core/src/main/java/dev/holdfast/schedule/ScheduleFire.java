package dev.holdfast.schedule;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.event.EventContext;
import dev.holdfast.internal.Require;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;

/**
 * One fire of a schedule, for the handler of its event: the scheduled fire time, also if the event
 * runs late. Immutable and thread-safe.
 */
public record ScheduleFire(String schedule, Instant scheduledAt) {
  private static final String PREFIX = "schedule/";

  public ScheduleFire {
    Schedule.requireName(schedule);
    Require.notNull(scheduledAt, "the time of a fire");
  }

  /** The fire that created the event; empty if no fire did. */
  public static Optional<ScheduleFire> from(EventContext context) {
    return context.key().flatMap(ScheduleFire::ofKey);
  }

  /** The unique key of the event, so that the fire happens once. */
  public String key() {
    return PREFIX + schedule + "/" + scheduledAt;
  }

  static Optional<ScheduleFire> ofKey(String key) {
    int end = key.lastIndexOf('/');
    if (!key.startsWith(PREFIX) || end <= PREFIX.length()) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new ScheduleFire(
              key.substring(PREFIX.length(), end), Instant.parse(key.substring(end + 1))));
    } catch (DateTimeException | InvalidArgumentException notOurs) {
      return Optional.empty();
    }
  }
}
