package dev.holdfast.schedule;

import dev.holdfast.event.EventId;

/** What became of an extra event of a schedule. */
public sealed interface ScheduleTriggerResult {
  /** It is scheduled. */
  record Triggered(EventId eventId) implements ScheduleTriggerResult {}

  /** The schedule skips overlapping fires, and this event of it has not ended. */
  record Overlapping(EventId eventId) implements ScheduleTriggerResult {}

  /** There is no such schedule. */
  record NotFound() implements ScheduleTriggerResult {}
}
