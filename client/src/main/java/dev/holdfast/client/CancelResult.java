package dev.holdfast.client;

/** What became of the wish to cancel an event. */
public enum CancelResult {
  /** It will not be done. */
  CANCELLED,
  /** It is being done at this moment, and is asked to stop; it may still come to its end. */
  REQUESTED,
  /** It had ended before. */
  ENDED,
  /** The service knows no such event. */
  MISSING
}
