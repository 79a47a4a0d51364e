package dev.holdfast.schedule;

/** What became of a definition that was declared or put. */
public sealed interface PutResult {
  /** The schedule as it is now, once the transaction commits. */
  ScheduleRecord schedule();

  /** It is new. Its first fire is after now: nothing is made up for. */
  record Created(ScheduleRecord schedule) implements PutResult {}

  /** It has this definition now, for every fire after now. */
  record Changed(ScheduleRecord schedule) implements PutResult {}

  /** It has had this definition already. */
  record Unchanged(ScheduleRecord schedule) implements PutResult {}

  /** The definition was replaced before, so the newer one stays: this is it. */
  record Outdated(ScheduleRecord schedule) implements PutResult {}
}
