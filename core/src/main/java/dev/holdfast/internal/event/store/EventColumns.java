package dev.holdfast.internal.event.store;

/** The columns that statements have in common. */
final class EventColumns {
  /** Those that go along when an event ends, but for the status, the error and the end itself. */
  static final String MOVED =
      "shard, id, priority, version, attempts, crashes, due_at, position_at, created_at,"
          + " claimed_at, useless_at, owner, queue, type, event_key, ordering_key, limit_key, tags,"
          + " replay_of, payload, payload_bytes";

  /** What a handler needs to know. */
  static final String CLAIMED =
      "id, version, attempts, crashes, priority, due_at, useless_at, type, event_key, ordering_key,"
          + " limit_key, tags, payload, payload_bytes, created_at";

  private static final String TOLD =
      "shard, id, status, type, queue, priority, version, attempts, crashes, created_at, due_at,"
          + " claimed_at, useless_at, event_key, ordering_key, limit_key, tags, error, replay_of,"
          + " payload, payload_bytes, owner, (SELECT i.name FROM {instance} i WHERE i.id = owner)";

  /** What {@link dev.holdfast.event.EventRecord} tells of a live event. */
  static final String TOLD_LIVE = TOLD + ", NULL, cancel_requested, NULL";

  /** What {@link dev.holdfast.event.EventRecord} tells of an ended event. */
  static final String TOLD_ENDED = TOLD + ", ended_at, FALSE, replayed_as";

  private EventColumns() {}

  /** The columns with an alias before each. */
  static String of(String alias, String columns) {
    return alias + "." + columns.replace(", ", ", " + alias + ".");
  }
}
