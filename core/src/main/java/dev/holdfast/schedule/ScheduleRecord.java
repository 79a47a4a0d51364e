package dev.holdfast.schedule;

import dev.holdfast.event.EventId;
import dev.holdfast.event.EventTemplate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A schedule as it was read from the database. What it says may have changed since.
 *
 * @param version grows by one with every change of the schedule, fires included
 * @param etag says what is defined and whether it is paused: changes with these, and not with fires
 * @param event what each fire makes
 * @param nextFireAt null where it is paused or has come to its end
 * @param lastFireAt the last fire that made an event
 * @param lastEventId the event made last, by a fire or by hand
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
  /** The next fires, from 1 to 100000 of them; fewer if it ends, none while it is paused. */
  public List<Instant> nextFires(int count) {
    if (nextFireAt == null) {
      return List.of();
    }
    return recurrence.next(nextFireAt.minusSeconds(1), count);
  }
}
