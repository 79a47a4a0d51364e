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
 * Makes events of due fires. For each schedule, whose row is locked:
 *
 * <ol>
 *   <li>The fires after what is settled, up to now, are those that are due.
 *   <li>Each that the policies let happen makes an event, whose key is the schedule and fire time.
 *   <li>In the same transaction the row is settled up to now, on condition of its version.
 * </ol>
 *
 * So of two instances one finds nothing due; the version and the key would stop it all the same.
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

  /** One batch: what it did, and the last schedule that it looked at. */
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
        // a newer version may have written it: passed over, so that the others go on
        LOG.warn(
            "schedule-unreadable: schedule '{}' cannot be read, a newer version may have written"
                + " it; skipped",
            schedule.name(),
            unreadable);
        result = sum(result, new FireResult(0, 0, 1));
        continue;
      }
      Made made = make(tx, schedule, fires);
      store.advance(tx, made.schedule.settled(now));
      result = sum(result, made.result);
    }
    return new Batch(result, due);
  }

  /** Makes the events of all fires up to now; the caller stores the schedule. */
  ScheduleRow settle(Transaction tx, ScheduleRow schedule, Instant now) {
    return schedule.paused()
        ? schedule.settled(now)
        : make(tx, schedule, due(schedule, now)).schedule.settled(now);
  }

  private record Made(ScheduleRow schedule, FireResult result) {}

  private static List<Instant> due(ScheduleRow schedule, Instant now) {
    ScheduleDefinition definition = schedule.definition();
    List<Instant> fires =
        MisfireEvaluator.of(
            definition.rule(),
            schedule.settledAt(),
            now,
            MisfirePolicy.parse(definition.missed()),
            definition.tolerance());
    // everything that may fail because of what is written happens here, before any statement
    fires.forEach(definition::eventOf);
    return fires;
  }

  private Made make(Transaction tx, ScheduleRow schedule, List<Instant> fires) {
    ScheduleRow changed = schedule;
    int made = 0;
    int skipped = 0;
    for (Instant fire : fires) {
      if (overlaps(tx, changed)) {
        LOG.debug("fire {} of schedule '{}' skipped by its overlap policy", fire, changed.name());
        skipped++;
        continue;
      }
      EventScheduleResult result = events.schedule(tx, changed.definition().eventOf(fire));
      made += result instanceof EventScheduleResult.Scheduled ? 1 : 0;
      changed = changed.fired(fire, result.id());
    }
    return new Made(changed, new FireResult(made, skipped, 0));
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
