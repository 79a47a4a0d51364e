package dev.holdfast.web.event;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.event.EventFilter;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.EventType;
import dev.holdfast.web.api.Members;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.BiFunction;

/** Reads filters of events. */
final class EventFilters {
  /** The members of the filter of a replay. */
  static final Set<String> REPLAYED =
      Set.of("status", "queue", "type", "tag", "createdFrom", "createdTo", "error");

  static final Set<String> LISTED =
      Set.of(
          "status",
          "queue",
          "type",
          "tag",
          "key",
          "createdFrom",
          "createdTo",
          "dueFrom",
          "dueTo",
          "endedFrom",
          "endedTo",
          "error",
          "cursor",
          "limit");

  private static final int MAX_TEXT_LENGTH = 1000;

  private EventFilters() {}

  static EventFilter read(Members all) {
    EventFilter filter = status(EventFilter.all(), all);
    filter = text(filter, all, "queue", EventFilter::queue);
    filter = text(filter, all, "type", (so, type) -> so.type(EventType.of(type, String.class)));
    filter = text(filter, all, "tag", EventFilter::tag);
    filter = text(filter, all, "key", EventFilter::key);
    filter = text(filter, all, "error", EventFilter::errorContains);
    filter = text(filter, all, "cursor", (so, id) -> so.cursor(EventId.parse(id)));
    filter = time(filter, all, "createdFrom", EventFilter::createdFrom);
    filter = time(filter, all, "createdTo", EventFilter::createdTo);
    filter = time(filter, all, "dueFrom", EventFilter::dueFrom);
    filter = time(filter, all, "dueTo", EventFilter::dueTo);
    filter = time(filter, all, "endedFrom", EventFilter::endedFrom);
    return time(filter, all, "endedTo", EventFilter::endedTo);
  }

  private static EventFilter status(EventFilter filter, Members all) {
    List<EventStatus> statuses =
        all.texts("status").stream()
            .map(name -> all.checked("status", () -> status(name)))
            .toList();
    return statuses.isEmpty()
        ? filter
        : filter.status(statuses.get(0), statuses.toArray(EventStatus[]::new));
  }

  private static EventStatus status(String name) {
    try {
      return EventStatus.valueOf(name.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new InvalidArgumentException("must be one of " + List.of(EventStatus.values()), e);
    }
  }

  private static EventFilter text(
      EventFilter filter,
      Members all,
      String name,
      BiFunction<EventFilter, String, EventFilter> with) {
    String value = all.text(name);
    if (value == null) {
      return filter;
    }
    if (value.length() > MAX_TEXT_LENGTH) {
      throw all.refused(name, "must have at most " + MAX_TEXT_LENGTH + " characters");
    }
    return all.checked(name, () -> with.apply(filter, value));
  }

  private static EventFilter time(
      EventFilter filter,
      Members all,
      String name,
      BiFunction<EventFilter, Instant, EventFilter> with) {
    Instant value = all.time(name);
    return value == null ? filter : all.checked(name, () -> with.apply(filter, value));
  }
}
