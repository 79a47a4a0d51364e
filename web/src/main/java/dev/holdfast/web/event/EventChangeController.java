package dev.holdfast.web.event;

import dev.holdfast.event.EventChange;
import dev.holdfast.event.EventChangeResult;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.Events;
import dev.holdfast.servlet.Precondition;
import dev.holdfast.servlet.ProblemException;
import dev.holdfast.web.api.ApiController;
import dev.holdfast.web.api.Audited;
import dev.holdfast.web.api.Members;
import dev.holdfast.web.api.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.function.Function;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;

/** Changes single events; each change says which version it changes. */
@ApiController
class EventChangeController {
  private static final int MAX_REASON_LENGTH = 1000;
  private static final int MAX_TURNS = 10;

  private final Events events;
  private final EventFinder finder;
  private final EventResponses responses;

  EventChangeController(Events events, EventFinder finder, EventResponses responses) {
    this.events = events;
    this.finder = finder;
    this.responses = responses;
  }

  @Audited
  @PatchMapping(
      path = "/v1/events/{event}",
      consumes = MediaType.APPLICATION_JSON_VALUE,
      produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> patch(HttpServletRequest request, @PathVariable("event") String id) {
    Precondition precondition = Precondition.from(request).requireIfMatch();
    EventChange change = change(Members.read(request));
    return change(id, precondition, event -> events.change(event.id(), event.version(), change));
  }

  @Audited
  @PostMapping(path = "/v1/events/{event}:cancel", produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> cancel(HttpServletRequest request, @PathVariable("event") String id) {
    Precondition precondition = Precondition.from(request).requireIfMatch();
    Members body = Members.readOptional(request).only(Set.of("reason"));
    String given = body.text("reason");
    String reason = given == null || given.isBlank() ? "cancelled by request" : given;
    if (reason.length() > MAX_REASON_LENGTH) {
      throw body.refused("reason", "must have at most " + MAX_REASON_LENGTH + " characters");
    }
    return change(
        id,
        precondition,
        event ->
            event.status() == EventStatus.PROCESSING
                ? events.requestCancellation(event.id(), event.version())
                : events.cancel(event.id(), event.version(), reason));
  }

  @Audited
  @PostMapping(path = "/v1/events/{event}:run", produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> run(HttpServletRequest request, @PathVariable("event") String id) {
    Precondition precondition = Precondition.from(request).requireIfMatch();
    Members.readOptional(request).only(Set.of());
    return change(
        id, precondition, event -> events.reschedule(event.id(), event.version(), Duration.ZERO));
  }

  private static EventChange change(Members body) {
    body.only(Set.of("at", "delay", "priority"));
    Instant at = body.time("at");
    Duration delay = body.duration("delay");
    Integer priority = body.integer("priority");
    if (at == null && delay == null && priority == null) {
      throw ProblemType.INVALID_ARGUMENT
          .with("one of 'at', 'delay' and 'priority' must be given")
          .toException();
    }
    return body.checked(
        at != null ? "at" : delay != null ? "delay" : "priority",
        () -> new EventChange(at, delay, priority));
  }

  /** Changes an event at a version of the request, and responds with the changed event. */
  private ResponseEntity<byte[]> change(
      String id, Precondition precondition, Function<EventRecord, EventChangeResult> change) {
    for (int turn = 1; turn <= MAX_TURNS; turn++) {
      EventRecord event = finder.find(id);
      precondition.check(EventResponses.etag(event));
      EventChangeResult result = change.apply(event);
      if (result instanceof EventChangeResult.Applied) {
        return responses.ok(finder.find(event.id().toString()));
      }
      if (result instanceof EventChangeResult.NotFound) {
        throw EventFinder.missing();
      }
      EventRecord current =
          result instanceof EventChangeResult.NotPending late
              ? late.current()
              : ((EventChangeResult.Conflict) result).current();
      if (current.version() == event.version()) {
        throw refused(current);
      }
      // read it again: If-Match: * accepts the new version, other tags fail
    }
    throw ProblemType.CONFLICT.with("the event changed too often; retry later").toException();
  }

  private static ProblemException refused(EventRecord current) {
    return ProblemType.CONFLICT
        .with("the event is " + current.status() + ", which does not allow this")
        .with("eventStatus", current.status().name())
        .toException();
  }
}
