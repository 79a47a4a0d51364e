package dev.holdfast.client;

/** The result of {@link HoldfastClient#cancel}. */
public enum CancelResult {
  /** The event is cancelled and will not run again. */
  CANCELLED,
  /** The call is in flight and was asked to stop. It may still complete. */
  CANCELLATION_REQUESTED,
  /** The event had already ended. */
  ALREADY_ENDED,
  /** There is no such event. */
  NOT_FOUND
}
