package dev.holdfast.webhook;

/** The outcome of an attempt for its event. */
public enum AttemptOutcome {
  /** The target responded with 2xx: the event is completed. */
  COMPLETED,
  /** It failed and is retried. */
  RETRY,
  /** It failed and is not retried. */
  FAILED,
  /** It was stopped in flight: the event was cancelled or the instance shuts down. */
  CANCELLED
}
