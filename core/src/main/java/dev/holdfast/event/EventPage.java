package dev.holdfast.event;

import java.util.List;
import java.util.Optional;

/**
 * Events that were found.
 *
 * @param next what to give to {@link EventFilter#before} for the next page; empty on the last one
 */
public record EventPage(List<EventRecord> events, Optional<EventId> next) {
  public EventPage {
    events = List.copyOf(events);
  }
}
