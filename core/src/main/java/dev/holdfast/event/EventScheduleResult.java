package dev.holdfast.event;

/** The result of a call that schedules an event. */
public sealed interface EventScheduleResult {
  /** The id of the event that has the key, or of the new one. */
  EventId id();

  /** It is scheduled, once the transaction commits. */
  record Scheduled(EventId id) implements EventScheduleResult {}

  /** Its key is taken, by this event; nothing was changed. */
  record AlreadyScheduled(EventRecord existing) implements EventScheduleResult {
    @Override
    public EventId id() {
      return existing.id();
    }
  }

  /** Its key was taken by a pending event, which now is this one. */
  record Replaced(EventId id, int version) implements EventScheduleResult {}

  /** Its key is taken by an event of another type or payload; nothing was changed. */
  record PayloadDiffers(EventRecord existing) implements EventScheduleResult {
    @Override
    public EventId id() {
      return existing.id();
    }
  }
}
