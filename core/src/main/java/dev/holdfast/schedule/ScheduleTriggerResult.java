package dev.holdfast.schedule;

import dev.holdfast.event.EventId;

/** What {@link Schedules#trigger} returned. */
public sealed interface ScheduleTriggerResult {
  /** The event is scheduled. */
  record Triggered(EventId eventId) implements ScheduleTriggerResult {}

  /** The schedule skips overlapping fires, and this event of it has not ended. */
  record Overlapping(EventId eventId) implements ScheduleTriggerResult {}

  /** There is no such schedule. */
  record NotFound() implements ScheduleTriggerResult {}
}
