package dev.holdfast.schedule;

import dev.holdfast.event.EventId;
import dev.holdfast.event.EventTemplate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A schedule as it was read from the database. It may have changed since.
 *
 * @param version grows by one with every change of the schedule, including fires
 * @param etag the version of the definition and of the pause; fires do not change it
 * @param event the event of each fire
 * @param nextFireAt null if the schedule is paused or has ended
 * @param lastFireAt the last fire that created an event
 * @param lastEventId the last event, of a fire or of {@link Schedules#trigger}
 */
public record ScheduleRecord(
    String name,
    int version,
    String etag,
    Recurrence recurrence,
    EventTemplate event,
    MisfirePolicy misfire,
    Duration misfireThreshold,
    OverlapPolicy overlap,
    Duration jitter,
    boolean paused,
    @Nullable Instant nextFireAt,
    @Nullable Instant lastFireAt,
    @Nullable EventId lastEventId) {
  /** The next {@code count} fires, 1 to 100000; fewer if it ends, none while it is paused. */
  public List<Instant> nextFires(int count) {
    if (nextFireAt == null) {
      return List.of();
    }
    return recurrence.next(nextFireAt.minusSeconds(1), count);
  }
}
