package dev.holdfast.schedule;

/** What became of a change of a schedule as somebody has seen it. */
public sealed interface ScheduleChange {
  /** It was not there, as was seen, and is now. */
  record Created(ScheduleRecord schedule) implements ScheduleChange {}

  /** It was as seen and is changed; where it was deleted, this is how it was. */
  record Applied(ScheduleRecord schedule) implements ScheduleChange {}

  /** It has been like this already. */
  record Unchanged(ScheduleRecord schedule) implements ScheduleChange {}

  /** Somebody else has changed it since; it is as it was. */
  record Conflict(ScheduleRecord current) implements ScheduleChange {}

  /** There is no such schedule. */
  record Missing() implements ScheduleChange {}
}
