package dev.holdfast.event;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What many events have in common, encoded: an instance that does not know the type can schedule
 * one of them. Made by {@link Events#template}. Immutable and thread-safe.
 *
 * @param payload as text, null if it is bytes
 */
@SuppressWarnings("ArrayRecordComponent") // bytes of a payload may be large, and are not compared
public record EventTemplate(
    String type,
    String queue,
    int priority,
    List<String> tags,
    @Nullable String orderingKey,
    @Nullable String payload,
    byte @Nullable [] payloadBytes) {
  /** An event that is like this, due at once. */
  public Event<?> event() {
    return payloadBytes == null
        ? dress(EventType.of(type, String.class).event(String.valueOf(payload)))
        : dress(EventType.of(type, byte[].class).event(payloadBytes));
  }

  private <P> Event<P> dress(Event<P> plain) {
    Event<P> event =
        plain.fromTemplate().queue(queue).priority(priority).tags(tags.toArray(String[]::new));
    return orderingKey == null ? event : event.orderingKey(orderingKey);
  }
}
