package dev.holdfast.web.event;

import dev.holdfast.event.EventFilter;
import dev.holdfast.event.EventPage;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.Events;
import dev.holdfast.web.api.ApiController;
import dev.holdfast.web.api.Json;
import dev.holdfast.web.api.Members;
import dev.holdfast.webhook.Attempts;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;

/** Shows and lists events. */
@ApiController
class EventReadController {
  private static final int STANDARD_LIMIT = 50;
  private static final int MAX = 1000;

  private final Events events;
  private final EventFinder finder;
  private final Attempts attempts;
  private final EventResponses responses;

  EventReadController(
      Events events, EventFinder finder, Attempts attempts, EventResponses responses) {
    this.events = events;
    this.finder = finder;
    this.attempts = attempts;
    this.responses = responses;
  }

  /** A page; the last one has no {@code next}. */
  record Page(List<EventView> items, @Nullable String next) {}

  @GetMapping(path = "/v1/events/{event}", produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> one(
      @PathVariable("event") String idOrKey,
      @RequestParam(name = "body", defaultValue = "json") String body) {
    boolean bodyAsText = TargetView.isText(body);
    EventRecord event = finder.find(idOrKey);
    return responses.ok(event, EventView.of(event, attempts.of(event.id()), bodyAsText));
  }

  @GetMapping(path = "/v1/events", produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> list(HttpServletRequest request) {
    Members query = QueryMembers.of(request, EventFilters.LISTED);
    EventFilter filter = EventFilters.read(query);
    Integer given = query.integer("limit");
    int limit = given == null ? STANDARD_LIMIT : given;
    if (limit < 1 || limit > MAX) {
      throw query.refused("limit", "must be from 1 to " + MAX + ", was " + limit);
    }
    // one more event shows whether there is a next page
    EventPage page = events.find(filter.pageSize(Math.min(limit + 1, MAX)));
    List<EventRecord> found = page.events();
    boolean more = found.size() > limit || (limit == MAX && page.nextCursor().isPresent());
    List<EventRecord> shown = found.subList(0, Math.min(limit, found.size()));
    return Json.ok(
        new Page(
            shown.stream().map(EventView::brief).toList(),
            more ? shown.get(shown.size() - 1).id().toString() : null));
  }
}
