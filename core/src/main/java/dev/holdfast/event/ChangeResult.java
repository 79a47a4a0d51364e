package dev.holdfast.event;

/** What became of a change of one event. */
public sealed interface ChangeResult {
  /** It is changed, once the transaction commits, and has this version now. */
  record Applied(int version) implements ChangeResult {}

  /** It is not at the version that was given; this is how it is. */
  record Conflict(EventRecord current) implements ChangeResult {}

  /** There is no such event, live or in the history. */
  record Missing() implements ChangeResult {}

  /** It has begun, or ended, so that it cannot be changed any more. */
  record TooLate(EventRecord current) implements ChangeResult {}
}
