package dev.holdfast.webhook;

/** What an attempt meant for its event. */
public enum AttemptOutcome {
  /** The target has taken it. */
  DONE,
  /** It failed, and is tried again. */
  RETRY,
  /** It failed, and is not tried again. */
  FAILED,
  /** It was stopped while it was under way: the event is cancelled, or the instance stops. */
  CANCELLED
}
