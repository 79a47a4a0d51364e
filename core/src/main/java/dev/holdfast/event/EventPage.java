package dev.holdfast.event;

import java.util.List;
import java.util.Optional;

/**
 * Events that were found.
 *
 * @param nextCursor what to give to {@link EventFilter#cursor} for the next page; empty on the last
 *     one
 */
public record EventPage(List<EventRecord> events, Optional<EventId> nextCursor) {
  public EventPage {
    events = List.copyOf(events);
  }
}
