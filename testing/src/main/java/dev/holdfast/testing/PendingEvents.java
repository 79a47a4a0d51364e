package dev.holdfast.testing;

import dev.holdfast.event.EventFilter;
import dev.holdfast.event.EventPage;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.EventType;
import dev.holdfast.event.Events;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Reads events that wait to be handled, and writes them down for the message of a failure. */
final class PendingEvents {
  private static final int MAX_LISTED = 20;
  private static final int MAX_PAYLOAD = 200;

  private PendingEvents() {}

  /** All of them, in due order. */
  static List<EventRecord> all(Events events) {
    return read(events, EventFilter.all());
  }

  /** Those of a type, in due order. */
  static List<EventRecord> of(Events events, EventType<?> type) {
    return read(events, EventFilter.all().type(type));
  }

  private static List<EventRecord> read(Events events, EventFilter filter) {
    List<EventRecord> found = new ArrayList<>();
    EventFilter rest = filter.status(EventStatus.PENDING).pageSize(1000);
    while (true) {
      EventPage page = events.find(rest);
      found.addAll(page.events());
      if (page.nextCursor().isEmpty()) {
        found.sort(
            Comparator.comparing(EventRecord::dueAt).thenComparing(event -> event.id().id()));
        return List.copyOf(found);
      }
      rest = rest.cursor(page.nextCursor().get());
    }
  }

  static void requireNone(List<EventRecord> events, String message) {
    if (!events.isEmpty()) {
      throw new AssertionError(message + ", were " + list(events));
    }
  }

  /** For people: one to a line. */
  static String list(List<EventRecord> events) {
    if (events.isEmpty()) {
      return "none";
    }
    StringBuilder text = new StringBuilder().append(events.size()).append(':');
    events.stream().limit(MAX_LISTED).forEach(event -> text.append("\n  ").append(line(event)));
    if (events.size() > MAX_LISTED) {
      text.append("\n  and ").append(events.size() - MAX_LISTED).append(" more");
    }
    return text.toString();
  }

  private static String line(EventRecord event) {
    String payload = event.payload();
    return event.type()
        + " due "
        + event.dueAt()
        + (event.key() == null ? "" : " key '" + event.key() + "'")
        + " queue '"
        + event.queue()
        + "'"
        + (event.tags().isEmpty() ? "" : " tags " + event.tags())
        + (event.attempts() == 0 ? "" : " after attempt " + event.attempts())
        + (event.error() == null ? "" : " (" + event.error() + ")")
        + " payload "
        + (payload == null
            ? "of bytes"
            : payload.length() <= MAX_PAYLOAD ? payload : payload.substring(0, MAX_PAYLOAD) + "…");
  }
}
