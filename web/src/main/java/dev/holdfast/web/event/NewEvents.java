package dev.holdfast.web.event;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.event.Event;
import dev.holdfast.event.Event.OnDuplicate;
import dev.holdfast.web.api.Json;
import dev.holdfast.web.api.Members;
import dev.holdfast.web.event.Storing.Draft;
import dev.holdfast.web.webhook.WebhookTask;
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
 * Reads new events from requests, and refuses all that cannot be delivered or kept, so that what is
 * accepted can be scheduled together with what others have sent. Thread-safe.
 */
final class NewEvents {
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

  private final Calls calls;

  NewEvents(Calls calls) {
    this.calls = calls;
  }

  /** An event of a request, of this key where one is given. */
  Draft read(Members all, @Nullable String key) {
    return checked(all.only(KNOWN), key);
  }

  /** The same of an item of a batch, which may name its key itself. */
  Draft readItem(Members all, @Nullable String key) {
    return checked(all.only(KNOWN_ITEM), key);
  }

  private Draft checked(Members all, @Nullable String key) {
    Calls.Call call = calls.read(all);
    Event<WebhookTask> event =
        EventMembers.read(
            due(WebhookTask.TYPE.event(call.task()).concurrencyKey(call.limitKey()), all), all);
    Event<WebhookTask> whole =
        key == null
            ? event
            : event
                .key(key)
                .onDuplicate(OnDuplicate.REJECT_DIFFERENT)
                .fingerprint(fingerprint(call.task(), all));
    return new Draft(whole, key, all.text("orderingKey"));
  }

  /** The key, if it can be one. */
  static String requireKey(String key) {
    if (LIKE_AN_ID.matcher(key).matches()) {
      throw new InvalidArgumentException(
          "a key must not read like the id of an event, was '" + key + "'");
    }
    if (key.equals(".") || key.equals("..")) {
      throw new InvalidArgumentException("a key must not be a step of a path, was '" + key + "'");
    }
    // all that the event itself asks of a key
    WebhookTask.TYPE.event(NOTHING).key(key);
    return key;
  }

  private static final WebhookTask NOTHING =
      new WebhookTask("", "", List.of(), null, 0, WebhookTask.Retry.STANDARD);

  private static Event<WebhookTask> due(Event<WebhookTask> event, Members all) {
    Instant at = all.time("at");
    Duration delay = all.duration("delay");
    if (at != null && delay != null) {
      throw all.refused("delay", "must not be given together with 'at'");
    }
    Event<WebhookTask> timed = event;
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
    Event<WebhookTask> before = timed;
    return all.checked("deadline", () -> before.deadline(deadline));
  }

  /** All that makes two requests of one key the same. Its form must stay: it is compared later. */
  private static String fingerprint(WebhookTask task, Members all) {
    return new String(
        Json.bytes(
            Arrays.asList(
                "1",
                task.url(),
                task.method(),
                task.headers(),
                task.body(),
                task.timeoutMillis(),
                task.retry(),
                all.time("at"),
                all.duration("delay"),
                all.time("deadline"),
                all.text("queue"),
                all.integer("priority"),
                all.text("orderingKey"),
                all.texts("tags"))),
        StandardCharsets.UTF_8);
  }
}
