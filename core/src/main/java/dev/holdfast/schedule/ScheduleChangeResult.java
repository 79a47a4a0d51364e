package dev.holdfast.schedule;

import java.util.Optional;

/** What became of a change of a schedule. */
public sealed interface ScheduleChangeResult {
  /** It is new. Its first fire is after now: no fires before now are made up for. */
  record Created(ScheduleRecord schedule) implements ScheduleChangeResult {}

  /** It is changed, for every fire after now. */
  record Updated(ScheduleRecord schedule) implements ScheduleChangeResult {}

  /** It was like this already; nothing is changed. */
  record Unchanged(ScheduleRecord schedule) implements ScheduleChangeResult {}

  /** It is deleted. */
  record Deleted() implements ScheduleChangeResult {}

  /** The definition was replaced before by the current one, which stays. */
  record Outdated(ScheduleRecord current) implements ScheduleChangeResult {}

  /** It is not as the caller expected: another change came first. Nothing is changed. */
  record Conflict(ScheduleRecord current) implements ScheduleChangeResult {}

  /** There is no such schedule. */
  record NotFound() implements ScheduleChangeResult {}

  /** Whether this call has created, updated or deleted the schedule. */
  default boolean isApplied() {
    return this instanceof Created || this instanceof Updated || this instanceof Deleted;
  }

  /** The schedule as it is now, once the transaction commits; empty if there is none. */
  default Optional<ScheduleRecord> stored() {
    if (this instanceof Created created) {
      return Optional.of(created.schedule());
    }
    if (this instanceof Updated updated) {
      return Optional.of(updated.schedule());
    }
    if (this instanceof Unchanged unchanged) {
      return Optional.of(unchanged.schedule());
    }
    if (this instanceof Outdated outdated) {
      return Optional.of(outdated.current());
    }
    return this instanceof Conflict conflict ? Optional.of(conflict.current()) : Optional.empty();
  }
}
