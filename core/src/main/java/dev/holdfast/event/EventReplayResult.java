package dev.holdfast.event;

/** The result of a call that replays an ended event. */
public sealed interface EventReplayResult {
  /** It is scheduled once more, as this event. */
  record Replayed(EventId id) implements EventReplayResult {}

  /**
   * It was replayed before, as this event; nothing was done. To do it once more, replay this one
   * when it has ended.
   */
  record AlreadyReplayed(EventId id) implements EventReplayResult {}

  /** It has not ended; this is how it is. */
  record NotEnded(EventRecord current) implements EventReplayResult {}

  /** There is no such event, live or in the history. */
  record NotFound() implements EventReplayResult {}
}
