package dev.holdfast.schedule;

/** What becomes of a fire while the event of an earlier one has not ended. */
public enum OverlapPolicy {
  /** Its event is made all the same; both may run at once. */
  ALLOW,
  /** It is left out. */
  SKIP,
  /** Its event is made, and runs when those before it have ended: one at a time, in order. */
  QUEUE
}
