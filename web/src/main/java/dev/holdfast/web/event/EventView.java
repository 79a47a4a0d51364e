package dev.holdfast.web.event;

import dev.holdfast.event.EventId;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.json.JacksonCodec;
import dev.holdfast.webhook.AttemptRecord;
import dev.holdfast.webhook.WebhookCall;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An event in the API.
 *
 * @param payload of an event that is not a webhook, as text; bytes are in base64
 * @param attemptLog only for a single event
 */
record EventView(
    String id,
    @Nullable String key,
    String status,
    String type,
    String queue,
    int priority,
    int version,
    int attempts,
    int crashes,
    Instant createdAt,
    Instant dueAt,
    @Nullable Instant claimedAt,
    @Nullable Instant endedAt,
    @Nullable Instant deadline,
    @Nullable String orderingKey,
    List<String> tags,
    boolean cancelRequested,
    @Nullable String instance,
    @Nullable String error,
    @Nullable String replayOf,
    @Nullable String replayedAs,
    @Nullable Duration timeout,
    @Nullable RetryView retry,
    @Nullable TargetView target,
    @Nullable String payload,
    @Nullable List<AttemptRecord> attemptLog) {
  private static final Logger LOG = LoggerFactory.getLogger(EventView.class);
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

  /** All members. */
  static EventView of(EventRecord event) {
    return of(event, null, false);
  }

  /** With its attempts, and optionally a JSON body as {@code text}. */
  static EventView of(
      EventRecord event, @Nullable List<AttemptRecord> attemptLog, boolean bodyAsText) {
    WebhookCall task = task(event);
    return task == null
        ? of(event, null, null, null, payload(event), attemptLog)
        : of(
            event,
            Duration.ofMillis(task.timeoutMillis()),
            RetryView.of(task.retry()),
            TargetView.of(task, bodyAsText),
            null,
            attemptLog);
  }

  /** Without bodies, for lists. */
  static EventView brief(EventRecord event) {
    WebhookCall task = task(event);
    return of(event, null, null, task == null ? null : TargetView.brief(task), null, null);
  }

  private static EventView of(
      EventRecord event,
      @Nullable Duration timeout,
      @Nullable RetryView retry,
      @Nullable TargetView target,
      @Nullable String payload,
      @Nullable List<AttemptRecord> attemptLog) {
    String instance = event.instanceName();
    if (instance == null && event.instanceId() != null) {
      instance = event.instanceId().toString();
    }
    return new EventView(
        event.id().toString(),
        event.key(),
        event.status().name(),
        event.type(),
        event.queue(),
        event.priority(),
        event.version(),
        event.attempts(),
        event.crashes(),
        event.createdAt(),
        event.dueAt(),
        event.claimedAt(),
        event.endedAt(),
        event.deadlineAt(),
        event.orderingKey(),
        event.tags(),
        event.cancelRequested(),
        instance,
        // the error of an earlier attempt would look like a failure
        event.status() == EventStatus.COMPLETED ? null : event.error(),
        text(event.replayOf()),
        text(event.replayedAs()),
        timeout,
        retry,
        target,
        payload,
        attemptLog);
  }

  private static @Nullable String text(@Nullable EventId id) {
    return id == null ? null : id.toString();
  }

  private static @Nullable String payload(EventRecord event) {
    byte[] bytes = event.payloadBytes();
    return bytes == null ? event.payload() : Base64.getEncoder().encodeToString(bytes);
  }

  /** The call; null if the event is not a webhook or cannot be read. */
  private static @Nullable WebhookCall task(EventRecord event) {
    String payload = event.payload();
    if (payload == null || !event.type().equals(WebhookCall.TYPE.name())) {
      return null;
    }
    try {
      return CODEC.read(payload, WebhookCall.class);
    } catch (RuntimeException e) {
      LOG.warn(
          "webhook-payload-unreadable: the payload of event {} is not a webhook request; its target"
              + " is not shown: {}",
          event.id(),
          e.toString());
      return null;
    }
  }
}
