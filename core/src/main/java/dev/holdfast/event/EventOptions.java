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
    OnDuplicate onDuplicate,
    String queue,
    int priority,
    List<String> tags,
    @Nullable Instant uselessAt,
    @Nullable String orderingKey,
    @Nullable String limitKey) {
  static final EventOptions DEFAULT =
      new EventOptions(
          null, null, null, OnDuplicate.KEEP, "default", 5, List.of(), null, null, null);

  EventOptions due(@Nullable Instant time, @Nullable Duration delay) {
    return new EventOptions(
        time, delay, key, onDuplicate, queue, priority, tags, uselessAt, orderingKey, limitKey);
  }

  EventOptions key(String given) {
    return new EventOptions(
        at, after, given, onDuplicate, queue, priority, tags, uselessAt, orderingKey, limitKey);
  }

  EventOptions onDuplicate(OnDuplicate given) {
    return new EventOptions(
        at, after, key, given, queue, priority, tags, uselessAt, orderingKey, limitKey);
  }

  EventOptions queue(String given) {
    return new EventOptions(
        at, after, key, onDuplicate, given, priority, tags, uselessAt, orderingKey, limitKey);
  }

  EventOptions priority(int given) {
    return new EventOptions(
        at, after, key, onDuplicate, queue, given, tags, uselessAt, orderingKey, limitKey);
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
        limitKey);
  }

  EventOptions uselessAt(Instant given) {
    return new EventOptions(
        at, after, key, onDuplicate, queue, priority, tags, given, orderingKey, limitKey);
  }

  EventOptions orderingKey(String given) {
    return new EventOptions(
        at, after, key, onDuplicate, queue, priority, tags, uselessAt, given, limitKey);
  }

  EventOptions limitKey(String given) {
    return new EventOptions(
        at, after, key, onDuplicate, queue, priority, tags, uselessAt, orderingKey, given);
  }
}
