package dev.holdfast.internal.schedule;

import dev.holdfast.event.Event;
import dev.holdfast.event.EventTemplate;
import dev.holdfast.event.Events;
import dev.holdfast.internal.Require;
import dev.holdfast.schedule.OverlapPolicy;
import dev.holdfast.schedule.Recurrence;
import dev.holdfast.schedule.Schedule;
import dev.holdfast.schedule.ScheduleFire;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A schedule as it is stored. Recurrence and policies stay text until they are needed, so that a
 * row of a newer version can be skipped.
 *
 * @param fingerprint equal definitions have equal fingerprints
 */
record ScheduleDefinition(
    String name,
    String recurrence,
    String misfirePolicy,
    Duration misfireThreshold,
    String overlap,
    Duration jitter,
    EventTemplate event,
    String fingerprint) {
  private static final int FINGERPRINT = 16;

  static ScheduleDefinition of(Schedule schedule, Events events) {
    EventTemplate event = events.template(schedule.event());
    Require.that(
        schedule.overlap() != OverlapPolicy.QUEUE || event.orderingKey() == null,
        () ->
            "an event of a schedule that queues must have no ordering key of its own, was '"
                + event.orderingKey()
                + "' ("
                + schedule
                + ")");
    ScheduleDefinition definition =
        new ScheduleDefinition(
            schedule.name(),
            schedule.recurrence().format(),
            schedule.misfire().toString(),
            schedule.misfireThreshold(),
            schedule.overlap().name(),
            schedule.jitter(),
            event,
            "");
    // rejects an event that no fire could create: too many tags
    definition.eventOf(Instant.EPOCH.plus(Duration.ofDays(2)));
    return definition.with(definition.fingerprint(schedule.revision()));
  }

  private ScheduleDefinition with(String given) {
    return new ScheduleDefinition(
        name, recurrence, misfirePolicy, misfireThreshold, overlap, jitter, event, given);
  }

  Recurrence rule() {
    return Recurrence.parse(recurrence);
  }

  /** The event of one fire; its key makes the fire happen once. */
  Event<?> eventOf(Instant fire) {
    return dressed(event.event(), "fire:" + fire)
        .key(new ScheduleFire(name, fire).key())
        .at(fire.plusMillis(delayOf(fire)));
  }

  /** An event without a fire. */
  Event<?> extraEvent() {
    return dressed(event.event(), "extra");
  }

  private <P> Event<P> dressed(Event<P> plain, String tag) {
    List<String> tags = new ArrayList<>(event.tags());
    tags.add("schedule:" + name);
    tags.add(tag);
    Event<P> tagged = plain.tags(tags.toArray(String[]::new));
    return OverlapPolicy.valueOf(overlap) == OverlapPolicy.QUEUE
        ? tagged.orderingKey("schedule/" + name)
        : tagged;
  }

  private long delayOf(Instant fire) {
    if (jitter.isZero()) {
      return 0;
    }
    CRC32C hash = new CRC32C();
    hash.update((name + " " + fire).getBytes(StandardCharsets.UTF_8));
    return hash.getValue() % (jitter.toMillis() + 1);
  }

  private String fingerprint(int revision) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (@Nullable Object part :
          new @Nullable Object[] {
            recurrence,
            misfirePolicy,
            misfireThreshold,
            overlap,
            jitter,
            revision,
            event.type(),
            event.queue(),
            event.priority(),
            event.tags(),
            event.orderingKey(),
            event.payload()
          }) {
        // no part has this character, so that parts cannot run into each other
        digest.update((part + "\0").getBytes(StandardCharsets.UTF_8));
      }
      if (event.payloadBytes() != null) {
        digest.update(event.payloadBytes());
      }
      return HexFormat.of().formatHex(digest.digest()).substring(0, FINGERPRINT);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
