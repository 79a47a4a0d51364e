package dev.holdfast.event;

/** What became of an ended event that was to be replayed. */
public sealed interface ReplayResult {
  /** It is scheduled once more, as this event. */
  record Replayed(EventId id) implements ReplayResult {}

  /**
   * It was replayed before, as this event; nothing was done. To do it once more, replay this one
   * when it has ended.
   */
  record AlreadyReplayed(EventId id) implements ReplayResult {}

  /** It has not ended; this is how it is. */
  record NotEnded(EventRecord current) implements ReplayResult {}

  /** There is no such event, live or in the history. */
  record Missing() implements ReplayResult {}
}
