package dev.holdfast.web.schedule;

import dev.holdfast.event.EventId;
import dev.holdfast.event.EventTemplate;
import dev.holdfast.event.json.JacksonCodec;
import dev.holdfast.schedule.MisfirePolicy;
import dev.holdfast.schedule.ScheduleRecord;
import dev.holdfast.web.event.TargetView;
import dev.holdfast.webhook.WebhookCall;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A schedule in the API; {@code payload} is for schedules that are not webhooks. */
record ScheduleView(
    String name,
    int version,
    String recurrence,
    String description,
    boolean paused,
    String misfire,
    Duration misfireThreshold,
    String overlap,
    Duration jitter,
    @Nullable Instant nextFireAt,
    @Nullable Instant lastFireAt,
    @Nullable String lastEvent,
    List<Instant> next,
    String type,
    String queue,
    int priority,
    @Nullable String orderingKey,
    List<String> tags,
    @Nullable Duration timeout,
    @Nullable RetryView retry,
    @Nullable TargetView target,
    @Nullable String payload) {
  private static final JacksonCodec CODEC = new JacksonCodec();

  /** The retry policy. */
  record RetryView(int maxAttempts, Duration initialDelay, double multiplier, Duration maxDelay) {
    static RetryView of(WebhookCall.Retry retry) {
      return new RetryView(
          retry.maxAttempts(),
          Duration.ofMillis(retry.initialDelayMillis()),
          retry.multiplier(),
          Duration.ofMillis(retry.maxDelayMillis()));
    }
  }

  /** Without bodies, for lists. */
  static ScheduleView brief(ScheduleRecord schedule, int fires) {
    WebhookCall task = task(schedule.event());
    return of(schedule, fires, task, task == null ? null : TargetView.brief(task), null);
  }

  /** With its next fires. */
  static ScheduleView of(ScheduleRecord schedule, int fires, boolean bodyAsText) {
    WebhookCall task = task(schedule.event());
    return task == null
        ? of(schedule, fires, null, null, schedule.event().payload())
        : of(schedule, fires, task, TargetView.of(task, bodyAsText), null);
  }

  private static ScheduleView of(
      ScheduleRecord schedule,
      int fires,
      @Nullable WebhookCall task,
      @Nullable TargetView target,
      @Nullable String payload) {
    EventTemplate event = schedule.event();
    EventId last = schedule.lastEventId();
    return new ScheduleView(
        schedule.name(),
        schedule.version(),
        schedule.recurrence().format(),
        Description.of(schedule.recurrence()),
        schedule.paused(),
        text(schedule.misfire()),
        schedule.misfireThreshold(),
        schedule.overlap().name(),
        schedule.jitter(),
        schedule.nextFireAt(),
        schedule.lastFireAt(),
        last == null ? null : last.toString(),
        schedule.nextFires(fires),
        event.type(),
        event.queue(),
        event.priority(),
        event.orderingKey(),
        event.tags(),
        task == null ? null : Duration.ofMillis(task.timeoutMillis()),
        task == null ? null : RetryView.of(task.retry()),
        target,
        payload);
  }

  private static String text(MisfirePolicy policy) {
    if (policy instanceof MisfirePolicy.CatchUp catchUp) {
      return "catch_up:" + catchUp.max();
    }
    return policy instanceof MisfirePolicy.FireOnce ? "fire_once" : "skip";
  }

  /** The call; null if the event is not a webhook or cannot be read. */
  static @Nullable WebhookCall task(EventTemplate event) {
    String payload = event.payload();
    if (payload == null || !event.type().equals(WebhookCall.TYPE.name())) {
      return null;
    }
    try {
      return CODEC.read(payload, WebhookCall.class);
    } catch (RuntimeException e) {
      return null;
    }
  }
}
