package dev.holdfast.web.event;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.Events;
import dev.holdfast.servlet.ProblemException;
import dev.holdfast.web.api.ProblemType;
import java.util.Optional;
import java.util.regex.Pattern;

/** Finds events by id or key; a key cannot look like an id. */
final class EventFinder {
  private static final Pattern LIKE_AN_ID = Pattern.compile("\\d+-\\d+");

  private final Events events;

  EventFinder(Events events) {
    this.events = events;
  }

  EventRecord find(String idOrKey) {
    Optional<EventRecord> found =
        LIKE_AN_ID.matcher(idOrKey).matches()
            ? id(idOrKey).flatMap(events::find)
            : events.findByKey(idOrKey);
    return found.orElseThrow(EventFinder::missing);
  }

  /** Empty if the number is out of range. */
  private static Optional<EventId> id(String text) {
    try {
      return Optional.of(EventId.parse(text));
    } catch (InvalidArgumentException e) {
      return Optional.empty();
    }
  }

  static ProblemException missing() {
    return ProblemType.NOT_FOUND
        .with("the event does not exist, or its retention has ended")
        .toException();
  }
}
