package dev.holdfast.web.event;

import dev.holdfast.event.EventFilter;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventReplayResult;
import dev.holdfast.event.Events;
import dev.holdfast.servlet.Precondition;
import dev.holdfast.web.access.Audit;
import dev.holdfast.web.api.ApiController;
import dev.holdfast.web.api.Audited;
import dev.holdfast.web.api.Json;
import dev.holdfast.web.api.Members;
import dev.holdfast.web.api.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Set;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;

/** Replays ended events. */
@ApiController
class ReplayController {
  private final Events events;
  private final EventFinder finder;
  private final EventResponses responses;

  ReplayController(Events events, EventFinder finder, EventResponses responses) {
    this.events = events;
    this.finder = finder;
    this.responses = responses;
  }

  /** The number of events that were replayed, or would be. */
  record Replayed(long count, boolean dryRun) {}

  @Audited
  @PostMapping(path = "/v1/events/{event}:replay", produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> one(HttpServletRequest request, @PathVariable("event") String id) {
    Precondition precondition = Precondition.from(request);
    Members.readOptional(request).only(Set.of());
    EventRecord ended = finder.find(id);
    precondition.check(EventResponses.etag(ended));
    EventReplayResult result = events.replay(ended.id());
    if (result instanceof EventReplayResult.Replayed again) {
      return responses.created(request, finder.find(again.id().toString()));
    }
    if (result instanceof EventReplayResult.AlreadyReplayed before) {
      throw ProblemType.CONFLICT
          .with("the event was replayed before; to replay it again, replay " + before.id())
          .with("replayedAs", before.id().toString())
          .toException();
    }
    if (result instanceof EventReplayResult.NotEnded live) {
      throw ProblemType.CONFLICT
          .with("the event has not ended: it is " + live.current().status())
          .with("eventStatus", live.current().status().name())
          .toException();
    }
    throw EventFinder.missing();
  }

  @Audited
  @PostMapping(
      path = "/v1/events:replay",
      consumes = MediaType.APPLICATION_JSON_VALUE,
      produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> many(HttpServletRequest request) {
    Members body = Members.read(request).only(Set.of("filter", "dryRun"));
    Members given = body.object("filter");
    if (given == null) {
      throw body.refused(
          "filter", "is required; an empty object selects all events that did not complete");
    }
    EventFilter filter = EventFilters.read(given.only(EventFilters.REPLAYED)).pageSize(1000);
    Boolean dryRun = body.bool("dryRun");
    boolean dry = dryRun != null && dryRun;
    long count = dry ? events.countReplayable(filter) : events.replayAll(filter);
    Audit.detail(request, (dry ? "would replay " : "replayed ") + count + " events");
    return Json.ok(new Replayed(count, dry));
  }
}
