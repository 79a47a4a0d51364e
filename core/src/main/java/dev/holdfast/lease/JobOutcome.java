package dev.holdfast.lease;

/** How the last run of an exclusive job ended, as far as is known. */
public enum JobOutcome {
  /** It has not ended yet, and still has its lease. */
  RUNNING,

  /** It ended in time, without an exception. */
  SUCCEEDED,

  /** Its action threw an exception. */
  FAILED,

  /**
   * It lost its lease before it had ended: it took too long, its process died, or it was forced.
   */
  LOST
}
