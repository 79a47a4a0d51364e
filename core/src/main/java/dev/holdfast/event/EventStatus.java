package dev.holdfast.event;

/** Where an event is in its life. A retry that waits is {@link #PENDING} again. */
public enum EventStatus {
  /** Waits until it is due, and then for a worker. */
  PENDING,
  /** In the hands of one instance. */
  PROCESSING,
  /** Its handler is done with it. */
  COMPLETED,
  /** Given up: it can be looked at and replayed. */
  FAILED,
  /** Nobody wants it any more. */
  CANCELLED;

  /** Whether it will not run again. */
  public boolean isEnded() {
    return this != PENDING && this != PROCESSING;
  }
}
