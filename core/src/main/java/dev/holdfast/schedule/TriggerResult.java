package dev.holdfast.schedule;

import dev.holdfast.event.EventId;

/** What became of an extra event. */
public sealed interface TriggerResult {
  /** It is there. */
  record Triggered(EventId event) implements TriggerResult {}

  /** The schedule is one that skips, and this event of it has not ended. */
  record Overlapping(EventId event) implements TriggerResult {}

  /** There is no such schedule. */
  record Missing() implements TriggerResult {}
}
