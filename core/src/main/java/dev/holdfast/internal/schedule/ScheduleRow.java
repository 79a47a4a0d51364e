package dev.holdfast.internal.schedule;

import dev.holdfast.event.EventId;
import dev.holdfast.schedule.MisfirePolicy;
import dev.holdfast.schedule.OverlapPolicy;
import dev.holdfast.schedule.ScheduleRecord;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A row: a definition and how far it has come.
 *
 * @param settledAt every fire up to this time is decided, one way or another
 * @param nextFireAt the first fire after that; null where there is none or it is paused
 * @param superseded the fingerprints of definitions that were replaced, the latest last
 */
record ScheduleRow(
    ScheduleDefinition definition,
    int version,
    boolean paused,
    Instant settledAt,
    @Nullable Instant nextFireAt,
    @Nullable Instant lastFireAt,
    @Nullable EventId lastEvent,
    List<String> superseded) {
  /** What a column of 1000 characters holds. */
  private static final int MAX_SUPERSEDED = 50;

  static ScheduleRow created(ScheduleDefinition definition, Instant now) {
    return new ScheduleRow(definition, 1, false, now, null, null, null, List.of()).settled(now);
  }

  String name() {
    return definition.name();
  }

  /** The same for as long as nobody changes it; fires do not. */
  String tag() {
    return definition.fingerprint() + (paused ? "-paused" : "");
  }

  /** With every fire up to this time decided. Never goes back, whatever the clock does. */
  ScheduleRow settled(Instant time) {
    Instant upTo = MisfireEvaluator.latest(settledAt, time);
    Instant next = paused ? null : definition.rule().next(upTo).orElse(null);
    return new ScheduleRow(
        definition, version, paused, upTo, next, lastFireAt, lastEvent, superseded);
  }

  ScheduleRow fired(Instant fire, EventId event) {
    return new ScheduleRow(
        definition, version, paused, settledAt, nextFireAt, fire, event, superseded);
  }

  ScheduleRow triggered(EventId event) {
    return new ScheduleRow(
        definition, version, paused, settledAt, nextFireAt, lastFireAt, event, superseded);
  }

  ScheduleRow paused(boolean wanted, Instant now) {
    return new ScheduleRow(
            definition, version, wanted, settledAt, null, lastFireAt, lastEvent, superseded)
        .settled(now);
  }

  /** With another definition, for the fires after what is settled. */
  ScheduleRow defined(ScheduleDefinition changed) {
    List<String> replaced = new ArrayList<>(superseded);
    replaced.add(definition.fingerprint());
    replaced.removeIf(changed.fingerprint()::equals);
    int tooMany = Math.max(0, replaced.size() - MAX_SUPERSEDED);
    return new ScheduleRow(
            changed,
            version,
            paused,
            settledAt,
            nextFireAt,
            lastFireAt,
            lastEvent,
            List.copyOf(replaced.subList(tooMany, replaced.size())))
        .settled(settledAt);
  }

  ScheduleRow version(int grown) {
    return new ScheduleRow(
        definition, grown, paused, settledAt, nextFireAt, lastFireAt, lastEvent, superseded);
  }

  ScheduleRecord told() {
    return new ScheduleRecord(
        name(),
        version,
        tag(),
        definition.rule(),
        definition.event(),
        MisfirePolicy.parse(definition.missed()),
        definition.tolerance(),
        OverlapPolicy.valueOf(definition.overlap()),
        definition.jitter(),
        paused,
        nextFireAt,
        lastFireAt,
        lastEvent);
  }
}
