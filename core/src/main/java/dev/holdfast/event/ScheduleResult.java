package dev.holdfast.event;

/** What became of an event that was to be scheduled. */
public sealed interface ScheduleResult {
  /** The id of the event that has the key, or of the new one. */
  EventId id();

  /** It is scheduled, once the transaction commits. */
  record Scheduled(EventId id) implements ScheduleResult {}

  /** Its key is taken, by this event; nothing was changed. */
  record AlreadyScheduled(EventRecord existing) implements ScheduleResult {
    @Override
    public EventId id() {
      return existing.id();
    }
  }

  /** Its key was taken by a pending event, which now is this one. */
  record Replaced(EventId id, int version) implements ScheduleResult {}

  /** Its key is taken by an event of another type or payload; nothing was changed. */
  record Differs(EventRecord existing) implements ScheduleResult {
    @Override
    public EventId id() {
      return existing.id();
    }
  }
}
