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
 * A row: a definition and its state.
 *
 * @param evaluatedUntil every fire up to this time has created its event or was skipped
 * @param nextFireAt the first fire after that; null if there is none or the schedule is paused
 * @param superseded the fingerprints of definitions that were replaced, the latest last
 */
record ScheduleRow(
    ScheduleDefinition definition,
    int version,
    boolean paused,
    Instant evaluatedUntil,
    @Nullable Instant nextFireAt,
    @Nullable Instant lastFireAt,
    @Nullable EventId lastEvent,
    List<String> superseded) {
  /** What a column of 1000 characters holds. */
  private static final int MAX_SUPERSEDED = 50;

  static ScheduleRow created(ScheduleDefinition definition, Instant now) {
    return new ScheduleRow(definition, 1, false, now, null, null, null, List.of()).evaluated(now);
  }

  String name() {
    return definition.name();
  }

  /** Changes with the definition and the pause, and not with fires. */
  String etag() {
    return definition.fingerprint() + (paused ? "-paused" : "");
  }

  /** With {@code evaluatedUntil} at this time, unless the clock has been set back. */
  ScheduleRow evaluated(Instant time) {
    Instant upTo = MisfireEvaluator.latest(evaluatedUntil, time);
    Instant next = paused ? null : definition.rule().next(upTo).orElse(null);
    return new ScheduleRow(
        definition, version, paused, upTo, next, lastFireAt, lastEvent, superseded);
  }

  ScheduleRow fired(Instant fire, EventId event) {
    return new ScheduleRow(
        definition, version, paused, evaluatedUntil, nextFireAt, fire, event, superseded);
  }

  ScheduleRow triggered(EventId event) {
    return new ScheduleRow(
        definition, version, paused, evaluatedUntil, nextFireAt, lastFireAt, event, superseded);
  }

  ScheduleRow paused(boolean wanted, Instant now) {
    return new ScheduleRow(
            definition, version, wanted, evaluatedUntil, null, lastFireAt, lastEvent, superseded)
        .evaluated(now);
  }

  /** With another definition, for the fires after {@code evaluatedUntil}. */
  ScheduleRow defined(ScheduleDefinition changed) {
    List<String> replaced = new ArrayList<>(superseded);
    replaced.add(definition.fingerprint());
    replaced.removeIf(changed.fingerprint()::equals);
    int tooMany = Math.max(0, replaced.size() - MAX_SUPERSEDED);
    return new ScheduleRow(
            changed,
            version,
            paused,
            evaluatedUntil,
            nextFireAt,
            lastFireAt,
            lastEvent,
            List.copyOf(replaced.subList(tooMany, replaced.size())))
        .evaluated(evaluatedUntil);
  }

  ScheduleRow version(int grown) {
    return new ScheduleRow(
        definition, grown, paused, evaluatedUntil, nextFireAt, lastFireAt, lastEvent, superseded);
  }

  ScheduleRecord record() {
    return new ScheduleRecord(
        name(),
        version,
        etag(),
        definition.rule(),
        definition.event(),
        MisfirePolicy.parse(definition.misfirePolicy()),
        definition.misfireThreshold(),
        OverlapPolicy.valueOf(definition.overlap()),
        definition.jitter(),
        paused,
        nextFireAt,
        lastFireAt,
        lastEvent);
  }
}
