package dev.holdfast.event;

import dev.holdfast.internal.Require;
import dev.holdfast.internal.event.EventArguments;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A change of a pending event; what is not set stays as it is.
 *
 * <pre>{@code
 * events.change(id, version, EventChange.create().delay(ofMinutes(10)).priority(9));
 * }</pre>
 *
 * <p>Immutable and thread-safe.
 *
 * @param at when it is due
 * @param delay the time from now, by the clock of the database, after which it is due
 */
public record EventChange(
    @Nullable Instant at, @Nullable Duration delay, @Nullable Integer priority) {
  public EventChange {
    Require.that(
        at == null || delay == null, () -> "a change must have one of at and delay, had both");
    if (at != null) {
      EventArguments.requireTime(at, "the time at which the event is due");
    }
    if (delay != null) {
      EventArguments.requireDelay(delay, "the delay after which the event is due");
    }
    if (priority != null) {
      Require.between(priority, 0, 9, "the priority of an event");
    }
  }

  /** One that changes nothing yet. */
  public static EventChange create() {
    return new EventChange(null, null, null);
  }

  /** Due at this time. */
  public EventChange at(Instant time) {
    return new EventChange(Require.notNull(time, "at"), null, priority);
  }

  /** Due after this delay, by the clock of the database. */
  public EventChange delay(Duration delay) {
    return new EventChange(null, Require.notNull(delay, "delay"), priority);
  }

  /** With another priority, from 0 to 9. */
  public EventChange priority(int wanted) {
    return new EventChange(at, delay, wanted);
  }
}
