package dev.holdfast.torture.check;

/** What a run must keep; the label is what the verdict calls the number of violations. */
public enum Property {
  /** An acknowledged event ends as completed, after its handler ran. */
  LOST("lost"),
  /** An event whose transaction was rolled back does not exist. */
  PHANTOM("phantoms"),
  /** A business row and the event of its transaction are both there or neither. */
  TORN("torn-transactions"),
  /** One scheduling makes one event, which ends once. */
  ENDED_TWICE("ended-twice"),
  /** An acknowledged event does not end as failed: handlers only fail for faults. */
  FAILED("failed"),
  /** The effect of an event in a transaction is there at most once. */
  EFFECT_TWICE("effect-twice"),
  /** The effect of a completed event is there, and of no other. */
  EFFECT_MISSING("effect-missing"),
  /** Writes behind a fence are in the order of their tokens. */
  STALE_WRITE("stale-writes"),
  /** A lease has no more valid holders at a time than its capacity. */
  TWO_HOLDERS("two-holders"),
  /** An idempotent request is executed once. */
  ONCE_TWICE("once-twice"),
  /** All answers to one key are the one that was stored. */
  ONCE_DIFFERS("once-differs"),
  /** Each fire time of a schedule makes one event. */
  FIRES("fires-wrong"),
  /** Effects of one ordering key are in the order of scheduling. */
  ORDER("order-violated"),
  /** A limited queue never has more events in process than its limit. */
  LIMIT("limit-exceeded"),
  /** No queue, schedule, lease name or call makes no progress for longer than allowed. */
  STALL("stalls"),
  /** An instance that nothing hinders handles events again. */
  STUCK_INSTANCE("stuck-instances");

  private final String label;

  Property(String label) {
    this.label = label;
  }

  public String label() {
    return label;
  }

  /** Whether it is about time rather than about correctness. */
  public boolean isLiveness() {
    return this == STALL || this == STUCK_INSTANCE;
  }
}
