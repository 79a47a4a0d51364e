package dev.holdfast.torture.history;

/** What a line of a history says; the arguments are listed with each. */
public enum Kind {
  /** An event is about to be scheduled: key, queue. */
  SCHEDULE_INTENT,
  /** It was acknowledged: key. */
  SCHEDULE_OK,
  /** It may have been scheduled or not: key. */
  SCHEDULE_UNKNOWN,
  /** Its transaction was rolled back for certain: key. */
  SCHEDULE_ROLLED_BACK,

  /** A handler was called: queue, key, version. */
  HANDLER_BEGIN,
  /** A handler returns: queue, key, version, {@code owned} or {@code lost}. */
  HANDLER_END,
  /** A handler throws: queue, key, version, why. */
  HANDLER_FAILED,

  /** An idempotent request is about to be made: key. */
  ONCE_INTENT,
  /** It was answered: key, reply. */
  ONCE_REPLY,
  /** It was not answered, because it failed or is in progress elsewhere: key, why. */
  ONCE_NONE,

  /** A lease is asked for: name, how long the caller waits in milliseconds. */
  LEASE_INTENT,
  /** It is held and valid: name, token. */
  LEASE_HELD,
  /** It was still valid at this time: name, token. */
  LEASE_VALID,
  /** It was not granted: name, why. */
  LEASE_NONE,
  /** It was released, or its release failed: name, token. */
  LEASE_RELEASED,
  /** A write passed the fence and was committed: name, token. */
  WRITE_OK,
  /** A write was refused by the fence: name, token. */
  WRITE_REFUSED,
  /** A write failed or may have happened: name, token. */
  WRITE_UNKNOWN,

  /** The process has started its work. */
  READY,
  /** The process got no processor until now, without a fault of ours: for how many milliseconds. */
  PAUSED,
  /** The worker was stopped: limit in milliseconds, time that it took in milliseconds. */
  STOPPED,

  /** Settings of the run: name, value. */
  SETTING,
  /** The load begins. */
  LOAD_BEGIN,
  /** The load and the faults end; what is scheduled is drained. */
  LOAD_END,
  /** A fault begins: number, kind, target. */
  FAULT_BEGIN,
  /** A fault ends: number, kind, target. */
  FAULT_END,
  /** A sample of the database: queue, events that are due or processing, events processing. */
  SAMPLE,

  /**
   * An event at the end: id, payload, queue, status, event key or {@code -}, error or {@code -}.
   */
  FINAL_EVENT,
  /** An effect at the end: number, key, ordering key or {@code -}. */
  FINAL_EFFECT,
  /** A business row at the end: key. */
  FINAL_BUSINESS,
  /** A fenced write at the end: number, name, token. */
  FINAL_WRITE,
  /** The effect of an idempotent request at the end: key, reply. */
  FINAL_ONCE
}
