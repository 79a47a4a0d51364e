package dev.holdfast.internal.schedule;

import dev.holdfast.event.EventId;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventScheduleResult;
import dev.holdfast.event.Events;
import dev.holdfast.schedule.MisfirePolicy;
import dev.holdfast.schedule.OverlapPolicy;
import dev.holdfast.schedule.Schedules;
import dev.holdfast.schedule.Schedules.FireResult;
import dev.holdfast.transaction.Transaction;
import java.time.Instant;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates the events of due fires. For each schedule, whose row is locked:
 *
 * <ol>
 *   <li>The fires after {@code evaluatedUntil}, up to now, are due.
 *   <li>Each fire that the policies allow creates an event with the schedule and the fire time as
 *       its key.
 *   <li>The same transaction sets {@code evaluatedUntil} to now, if the version has not changed.
 * </ol>
 *
 * <p>So one of two instances finds nothing due; without the lock, the version and the key would
 * stop it.
 */
final class ScheduleFirer {
  static final int BATCH = 100;
  static final FireResult NOTHING = new FireResult(0, 0, 0);
  private static final Logger LOG = LoggerFactory.getLogger(Schedules.class);

  private final ScheduleStore store;
  private final Events events;

  ScheduleFirer(ScheduleStore store, Events events) {
    this.store = store;
    this.events = events;
  }

  /** One batch: its result, and the schedules that it has read. */
  record Batch(FireResult result, List<ScheduleRow> seen) {
    boolean isLast() {
      return seen.size() < BATCH;
    }
  }

  static FireResult sum(FireResult one, FireResult other) {
    return new FireResult(
        one.events() + other.events(),
        one.skipped() + other.skipped(),
        one.unreadable() + other.unreadable());
  }

  Batch fireDue(Transaction tx, Instant now, Instant afterFire, String afterName) {
    List<ScheduleRow> due = store.lockDue(tx, now, afterFire, afterName);
    FireResult result = NOTHING;
    for (ScheduleRow schedule : due) {
      List<Instant> fires;
      try {
        fires = due(schedule, now);
      } catch (RuntimeException unreadable) {
        // skipped, so that the other schedules fire
        LOG.warn(
            "schedule-unreadable: schedule '{}' cannot be read, a newer version may have written"
                + " it; skipped",
            schedule.name(),
            unreadable);
        result = sum(result, new FireResult(0, 0, 1));
        continue;
      }
      Fired fired = fire(tx, schedule, fires);
      store.advance(tx, fired.schedule.evaluated(now));
      result = sum(result, fired.result);
    }
    return new Batch(result, due);
  }

  /** Creates the events of all fires up to now; the caller stores the schedule. */
  ScheduleRow evaluate(Transaction tx, ScheduleRow schedule, Instant now) {
    return schedule.paused()
        ? schedule.evaluated(now)
        : fire(tx, schedule, due(schedule, now)).schedule.evaluated(now);
  }

  private record Fired(ScheduleRow schedule, FireResult result) {}

  private static List<Instant> due(ScheduleRow schedule, Instant now) {
    ScheduleDefinition definition = schedule.definition();
    List<Instant> fires =
        MisfireEvaluator.of(
            definition.rule(),
            schedule.evaluatedUntil(),
            now,
            MisfirePolicy.parse(definition.misfirePolicy()),
            definition.misfireThreshold());
    // all that an unreadable definition can make fail happens here, before any statement
    fires.forEach(definition::eventOf);
    return fires;
  }

  private Fired fire(Transaction tx, ScheduleRow schedule, List<Instant> fires) {
    ScheduleRow changed = schedule;
    int created = 0;
    int skipped = 0;
    for (Instant fire : fires) {
      if (overlaps(tx, changed)) {
        LOG.debug("fire {} of schedule '{}' skipped by its overlap policy", fire, changed.name());
        skipped++;
        continue;
      }
      EventScheduleResult result = events.schedule(tx, changed.definition().eventOf(fire));
      created += result instanceof EventScheduleResult.Scheduled ? 1 : 0;
      changed = changed.fired(fire, result.id());
    }
    return new Fired(changed, new FireResult(created, skipped, 0));
  }

  boolean overlaps(Transaction tx, ScheduleRow schedule) {
    EventId last = schedule.lastEvent();
    return last != null
        && OverlapPolicy.valueOf(schedule.definition().overlap()) == OverlapPolicy.SKIP
        && events
            .find(tx, last)
            .map(EventRecord::status)
            .filter(status -> !status.isEnded())
            .isPresent();
  }
}
