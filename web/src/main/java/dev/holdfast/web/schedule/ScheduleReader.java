package dev.holdfast.web.schedule;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.event.Event;
import dev.holdfast.internal.Excerpt;
import dev.holdfast.schedule.MisfirePolicy;
import dev.holdfast.schedule.OverlapPolicy;
import dev.holdfast.schedule.Recurrence;
import dev.holdfast.schedule.Schedule;
import dev.holdfast.web.api.Members;
import dev.holdfast.web.event.CallReader;
import dev.holdfast.web.event.EventReader;
import dev.holdfast.webhook.WebhookCall;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Reads schedules from requests, and rejects those that could not fire or be delivered. */
final class ScheduleReader {
  private static final Set<String> KNOWN =
      Set.of(
          "recurrence",
          "target",
          "timeout",
          "retry",
          "misfire",
          "misfireThreshold",
          "overlap",
          "jitter",
          "queue",
          "priority",
          "orderingKey",
          "tags");

  private static final Pattern CATCH_UP = Pattern.compile("catch_up:(\\d{1,4})");

  private final CallReader calls;

  ScheduleReader(CallReader calls) {
    this.calls = calls;
  }

  /**
   * The schedule of a request.
   *
   * @param stored the call of the existing schedule; null if there is none
   */
  Schedule read(String name, Members all, @Nullable WebhookCall stored) {
    all.only(KNOWN);
    Schedule schedule = Schedule.of(name, recurrence(all), event(all, stored));
    String misfire = all.text("misfire");
    if (misfire != null) {
      Schedule before = schedule;
      schedule = all.checked("misfire", () -> before.misfire(misfire(misfire)));
    }
    Duration threshold = all.duration("misfireThreshold");
    if (threshold != null) {
      Schedule before = schedule;
      schedule = all.checked("misfireThreshold", () -> before.misfireThreshold(threshold));
    }
    String overlap = all.text("overlap");
    if (overlap != null) {
      Schedule before = schedule;
      schedule = all.checked("overlap", () -> before.overlap(overlap(overlap)));
    }
    Duration jitter = all.duration("jitter");
    if (jitter != null) {
      Schedule before = schedule;
      schedule = all.checked("jitter", () -> before.jitter(jitter));
    }
    return schedule;
  }

  private Event<WebhookCall> event(Members all, @Nullable WebhookCall stored) {
    return EventReader.readCommon(WebhookCall.TYPE.event(calls.read(all, stored)), all);
  }

  /** A text, or a cron expression with its zone. */
  static Recurrence recurrence(Members all) {
    JsonNode given = all.any("recurrence");
    if (given == null) {
      throw all.refused(
          "recurrence", "is missing, such as {\"cron\":\"0 9 * * *\",\"zone\":\"Europe/Madrid\"}");
    }
    if (!given.isObject()) {
      String text = all.text("recurrence");
      return all.checked("recurrence", () -> Recurrence.parse(String.valueOf(text)));
    }
    Members cron = all.object("recurrence");
    if (cron == null) {
      throw all.refused("recurrence", "is missing");
    }
    cron.only(Set.of("cron", "zone"));
    String expression = cron.text("cron");
    if (expression == null) {
      throw cron.refused("cron", "is missing");
    }
    ZoneId zone = cron.checked("zone", () -> zone(cron.text("zone")));
    return cron.checked("cron", () -> Recurrence.cron(expression, zone));
  }

  private static ZoneId zone(@Nullable String given) {
    if (given == null) {
      throw new InvalidArgumentException("is missing: local times need one, such as UTC");
    }
    try {
      return ZoneId.of(given);
    } catch (DateTimeException e) {
      throw new InvalidArgumentException(
          "must be a zone such as Europe/Madrid or UTC, was " + Excerpt.quoted(given));
    }
  }

  private static MisfirePolicy misfire(String given) {
    Matcher catchUp = CATCH_UP.matcher(given);
    if (catchUp.matches()) {
      return MisfirePolicy.catchUp(Integer.parseInt(catchUp.group(1)));
    }
    return switch (given) {
      case "skip" -> MisfirePolicy.skip();
      case "fire_once" -> MisfirePolicy.fireOnce();
      default ->
          throw new InvalidArgumentException(
              "must be skip, fire_once or catch_up:N with N from 1 to 1000, was "
                  + Excerpt.quoted(given));
    };
  }

  private static OverlapPolicy overlap(String given) {
    try {
      return OverlapPolicy.valueOf(given.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new InvalidArgumentException(
          "must be ALLOW, SKIP or QUEUE, was " + Excerpt.quoted(given));
    }
  }
}
