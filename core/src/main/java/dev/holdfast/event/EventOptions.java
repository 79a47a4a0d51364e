package dev.holdfast.event;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Everything about an event but its type and payload. Due at once where neither time is given. */
record EventOptions(
    @Nullable Instant at,
    @Nullable Duration after,
    @Nullable String key,
    Event.OnDuplicate onDuplicate,
    String queue,
    int priority,
    List<String> tags,
    @Nullable Instant uselessAt,
    @Nullable String orderingKey,
    @Nullable String limitKey,
    @Nullable String fingerprint) {
  static final EventOptions DEFAULT =
      new EventOptions(
          null,
          null,
          null,
          Event.OnDuplicate.KEEP_EXISTING,
          "default",
          5,
          List.of(),
          null,
          null,
          null,
          null);

  EventOptions due(@Nullable Instant time, @Nullable Duration delay) {
    return new EventOptions(
        time,
        delay,
        key,
        onDuplicate,
        queue,
        priority,
        tags,
        uselessAt,
        orderingKey,
        limitKey,
        fingerprint);
  }

  EventOptions key(String given) {
    return new EventOptions(
        at,
        after,
        given,
        onDuplicate,
        queue,
        priority,
        tags,
        uselessAt,
        orderingKey,
        limitKey,
        fingerprint);
  }

  EventOptions onDuplicate(Event.OnDuplicate given) {
    return new EventOptions(
        at,
        after,
        key,
        given,
        queue,
        priority,
        tags,
        uselessAt,
        orderingKey,
        limitKey,
        fingerprint);
  }

  EventOptions queue(String given) {
    return new EventOptions(
        at,
        after,
        key,
        onDuplicate,
        given,
        priority,
        tags,
        uselessAt,
        orderingKey,
        limitKey,
        fingerprint);
  }

  EventOptions priority(int given) {
    return new EventOptions(
        at,
        after,
        key,
        onDuplicate,
        queue,
        given,
        tags,
        uselessAt,
        orderingKey,
        limitKey,
        fingerprint);
  }

  EventOptions tags(List<String> given) {
    return new EventOptions(
        at,
        after,
        key,
        onDuplicate,
        queue,
        priority,
        List.copyOf(given),
        uselessAt,
        orderingKey,
        limitKey,
        fingerprint);
  }

  EventOptions uselessAt(Instant given) {
    return new EventOptions(
        at,
        after,
        key,
        onDuplicate,
        queue,
        priority,
        tags,
        given,
        orderingKey,
        limitKey,
        fingerprint);
  }

  EventOptions orderingKey(String given) {
    return new EventOptions(
        at,
        after,
        key,
        onDuplicate,
        queue,
        priority,
        tags,
        uselessAt,
        given,
        limitKey,
        fingerprint);
  }

  EventOptions limitKey(String given) {
    return new EventOptions(
        at,
        after,
        key,
        onDuplicate,
        queue,
        priority,
        tags,
        uselessAt,
        orderingKey,
        given,
        fingerprint);
  }

  EventOptions fingerprint(String given) {
    return new EventOptions(
        at,
        after,
        key,
        onDuplicate,
        queue,
        priority,
        tags,
        uselessAt,
        orderingKey,
        limitKey,
        given);
  }
}
