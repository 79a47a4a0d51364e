package dev.holdfast.event;

/** The state of an event. A retry that waits is {@link #PENDING} again. */
public enum EventStatus {
  /** Waits until it is due, and then for a worker. */
  PENDING,
  /** Claimed by one instance. */
  PROCESSING,
  /** Ended with success. */
  COMPLETED,
  /** Failed permanently; it can be replayed. */
  FAILED,
  /** Ended by a cancellation or its deadline. */
  CANCELLED;

  /** Whether it will not run again. */
  public boolean isEnded() {
    return this != PENDING && this != PROCESSING;
  }
}
