package dev.holdfast.testing;

import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventTemplate;
import dev.holdfast.event.EventType;
import dev.holdfast.event.Events;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/**
 * Events of one type that wait to be handled, and what a test asserts about them; made by {@link
 * TestHoldfast#assertScheduled}.
 *
 * <p>Each step keeps those that are as it says and throws an {@link AssertionError} if there is
 * none; the message lists what is scheduled instead. They were read once: what is scheduled later
 * is not seen. Needs no assertion library. Immutable and thread-safe.
 */
public final class EventAssert<P> {
  private final Events events;
  private final Clock clock;
  private final EventType<P> type;
  private final String wanted;
  private final List<EventRecord> kept;

  private EventAssert(
      Events events, Clock clock, EventType<P> type, String wanted, List<EventRecord> kept) {
    this.events = events;
    this.clock = clock;
    this.type = type;
    this.wanted = wanted;
    this.kept = kept;
  }

  static <P> EventAssert<P> of(Events events, Clock clock, EventType<P> type) {
    List<EventRecord> ofType = PendingEvents.of(events, type);
    String wanted = "of the type '" + type + "'";
    if (ofType.isEmpty()) {
      List<EventRecord> others = PendingEvents.all(events);
      throw missing(
          wanted,
          others.isEmpty()
              ? "and none of any other type"
              : "but of other types " + PendingEvents.list(others));
    }
    return new EventAssert<>(events, clock, type, wanted, ofType);
  }

  /** The one with this key. */
  public EventAssert<P> withKey(String key) {
    return keep("with the key '" + key + "'", event -> key.equals(event.key()));
  }

  /** Those with this payload, as it is written. */
  public EventAssert<P> withPayload(P payload) {
    EventTemplate written = events.template(type.event(payload));
    return keep(
        "with the payload " + (written.payload() == null ? "of bytes" : written.payload()),
        event ->
            written.payload() == null
                ? Arrays.equals(written.payloadBytes(), event.payloadBytes())
                : written.payload().equals(event.payload()));
  }

  /** Those that are due at this time, to the microsecond. */
  public EventAssert<P> at(Instant time) {
    Instant stored = time.truncatedTo(ChronoUnit.MICROS);
    return keep("due at " + stored, event -> event.dueAt().equals(stored));
  }

  /** Those that are due after this time from now on, by the clock of the test. */
  public EventAssert<P> after(Duration delay) {
    return at(clock.instant().plus(delay));
  }

  /** Those in this queue. */
  public EventAssert<P> inQueue(String queue) {
    return keep("in the queue '" + queue + "'", event -> event.queue().equals(queue));
  }

  /** Those with this tag. */
  public EventAssert<P> withTag(String tag) {
    return keep("with the tag '" + tag + "'", event -> event.tags().contains(tag));
  }

  /** Asserts that there is one of them, and not more. */
  public EventAssert<P> once() {
    return times(1);
  }

  /** Asserts that there are as many of them. */
  public EventAssert<P> times(int count) {
    if (kept.size() != count) {
      throw new AssertionError(
          "events must be scheduled "
              + wanted
              + ": "
              + count
              + "; there are "
              + PendingEvents.list(kept));
    }
    return this;
  }

  /** Those that are left, in due order, to look at further. */
  public List<EventRecord> events() {
    return kept;
  }

  private EventAssert<P> keep(String how, Predicate<EventRecord> filter) {
    List<EventRecord> left = kept.stream().filter(filter).toList();
    String narrower = wanted + ", " + how;
    if (left.isEmpty()) {
      throw missing(narrower, "but " + wanted + " " + PendingEvents.list(kept));
    }
    return new EventAssert<>(events, clock, type, narrower, left);
  }

  private static AssertionError missing(String wanted, String instead) {
    return new AssertionError(
        "an event must be scheduled " + wanted + "; there is none, " + instead);
  }
}
