package dev.holdfast.event;

/** The result of a change of one event. */
public sealed interface EventChangeResult {
  /** It is changed, once the transaction commits, and has this version now. */
  record Applied(int version) implements EventChangeResult {}

  /** It is not at the version that was given; this is how it is. */
  record Conflict(EventRecord current) implements EventChangeResult {}

  /** There is no such event, live or in the history. */
  record NotFound() implements EventChangeResult {}

  /**
   * Its status does not allow the change: it has begun or ended, or, for a request to cancel, it is
   * not running.
   */
  record NotPending(EventRecord current) implements EventChangeResult {}
}
