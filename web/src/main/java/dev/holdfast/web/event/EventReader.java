package dev.holdfast.web.event;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.event.Event;
import dev.holdfast.event.Event.OnDuplicate;
import dev.holdfast.web.api.Json;
import dev.holdfast.web.api.Members;
import dev.holdfast.web.event.EventIntake.Draft;
import dev.holdfast.webhook.WebhookCall;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads new events from requests. It rejects events that cannot be stored or delivered, so that
 * accepted events of several requests can share a transaction. Thread-safe.
 */
public final class EventReader {
  private static final Set<String> KNOWN =
      Set.of(
          "target",
          "at",
          "delay",
          "timeout",
          "retry",
          "deadline",
          "queue",
          "priority",
          "orderingKey",
          "tags");
  private static final Set<String> KNOWN_ITEM =
      Stream.concat(KNOWN.stream(), Stream.of("key")).collect(Collectors.toUnmodifiableSet());
  private static final Pattern LIKE_AN_ID = Pattern.compile("\\d+-\\d+");

  private final CallReader calls;

  EventReader(CallReader calls) {
    this.calls = calls;
  }

  /** The event of a request. */
  Draft read(Members all, @Nullable String key) {
    return draft(all.only(KNOWN), key);
  }

  /** The event of an item of a batch, which may contain its key. */
  Draft readItem(Members all, @Nullable String key) {
    return draft(all.only(KNOWN_ITEM), key);
  }

  private Draft draft(Members all, @Nullable String key) {
    WebhookCall call = calls.read(all);
    Event<WebhookCall> event =
        readCommon(
            due(WebhookCall.TYPE.event(call).concurrencyKey(call.target().toString()), all), all);
    Event<WebhookCall> keyed =
        key == null
            ? event
            : event
                .key(key)
                .onDuplicate(OnDuplicate.REJECT_DIFFERENT)
                .fingerprint(fingerprint(call, all));
    return new Draft(keyed, key, all.text("orderingKey"));
  }

  /** Returns the key if it is valid. */
  static String requireKey(String key) {
    if (LIKE_AN_ID.matcher(key).matches()) {
      throw new InvalidArgumentException(
          "a key must not look like the id of an event, was '" + key + "'");
    }
    if (key.equals(".") || key.equals("..")) {
      throw new InvalidArgumentException("a key must not be '.' or '..', was '" + key + "'");
    }
    // checks the key as the event does
    WebhookCall.TYPE.event(NO_CALL).key(key);
    return key;
  }

  private static final WebhookCall NO_CALL =
      new WebhookCall("", "", List.of(), null, 0, WebhookCall.Retry.DEFAULT);

  private static Event<WebhookCall> due(Event<WebhookCall> event, Members all) {
    Instant at = all.time("at");
    Duration delay = all.duration("delay");
    if (at != null && delay != null) {
      throw all.refused("delay", "must not be given together with 'at'");
    }
    Event<WebhookCall> timed = event;
    if (at != null) {
      timed = all.checked("at", () -> event.at(at));
    }
    if (delay != null) {
      timed = all.checked("delay", () -> event.delay(delay));
    }
    Instant deadline = all.time("deadline");
    if (deadline == null) {
      return timed;
    }
    if (at != null && deadline.isBefore(at)) {
      throw all.refused("deadline", "must not be before 'at', was " + deadline);
    }
    Event<WebhookCall> before = timed;
    return all.checked("deadline", () -> before.deadline(deadline));
  }

  /** Equal for equal requests. The format must not change, because it is stored and compared. */
  private static String fingerprint(WebhookCall call, Members all) {
    return new String(
        Json.bytes(
            Arrays.asList(
                "1",
                call.url(),
                call.method(),
                call.headers(),
                call.body(),
                call.timeoutMillis(),
                call.retry(),
                all.time("at"),
                all.duration("delay"),
                all.time("deadline"),
                all.text("queue"),
                all.integer("priority"),
                all.text("orderingKey"),
                all.texts("tags"))),
        StandardCharsets.UTF_8);
  }

  /**
   * Adds the members {@code queue}, {@code priority}, {@code orderingKey} and {@code tags}, which
   * events and schedules have in common.
   */
  public static <P> Event<P> readCommon(Event<P> event, Members all) {
    Event<P> read = event;
    String queue = all.text("queue");
    if (queue != null) {
      Event<P> before = read;
      read = all.checked("queue", () -> before.queue(queue));
    }
    Integer priority = all.integer("priority");
    if (priority != null) {
      Event<P> before = read;
      read = all.checked("priority", () -> before.priority(priority));
    }
    String orderingKey = all.text("orderingKey");
    if (orderingKey != null) {
      Event<P> before = read;
      read = all.checked("orderingKey", () -> before.orderingKey(orderingKey));
    }
    List<String> tags = all.texts("tags");
    Event<P> untagged = read;
    return all.checked("tags", () -> untagged.tags(tags.toArray(String[]::new)));
  }
}
