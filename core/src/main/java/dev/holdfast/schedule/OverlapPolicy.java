package dev.holdfast.schedule;

/** What happens to a fire while the event of an earlier fire has not ended. */
public enum OverlapPolicy {
  /** Its event is created; both may run at once. */
  ALLOW,
  /** The fire is skipped. */
  SKIP,
  /** Its event is created, and runs after the earlier ones: one at a time, in order. */
  QUEUE
}
