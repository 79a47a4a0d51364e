package dev.holdfast.web.event;

import dev.holdfast.event.EventFilter;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventReplayResult;
import dev.holdfast.event.Events;
import dev.holdfast.web.access.Audit;
import dev.holdfast.web.api.ApiController;
import dev.holdfast.web.api.Audited;
import dev.holdfast.web.api.IfMatch;
import dev.holdfast.web.api.Json;
import dev.holdfast.web.api.Members;
import dev.holdfast.web.api.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Set;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;

/** Schedules ended events once more. */
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

  /** How many were replayed, or would be. */
  record Replayed(long count, boolean dryRun) {}

  @Audited
  @PostMapping(path = "/v1/events/{event}:replay", produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> one(HttpServletRequest request, @PathVariable("event") String id) {
    IfMatch wanted = IfMatch.optional(request);
    Members.readOptional(request).only(Set.of());
    EventRecord ended = finder.find(id);
    wanted.require(EventResponses.etag(ended));
    EventReplayResult result = events.replay(ended.id());
    if (result instanceof EventReplayResult.Replayed again) {
      return responses.created(request, finder.find(again.id().toString()));
    }
    if (result instanceof EventReplayResult.AlreadyReplayed before) {
      throw ProblemType.CONFLICT
          .with("it was replayed before; to do it once more, replay " + before.id())
          .with("replayedAs", before.id().toString())
          .exception();
    }
    if (result instanceof EventReplayResult.NotEnded live) {
      throw ProblemType.CONFLICT
          .with("it has not ended: it is " + live.current().status())
          .with("eventStatus", live.current().status().name())
          .exception();
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
    Members asked = body.object("filter");
    if (asked == null) {
      throw body.refused("filter", "is missing; an empty object means all that did not complete");
    }
    EventFilter filter = EventFilters.read(asked.only(EventFilters.REPLAYED)).pageSize(1000);
    Boolean dryRun = body.bool("dryRun");
    boolean dry = dryRun != null && dryRun;
    long count = dry ? events.countReplayable(filter) : events.replayAll(filter);
    Audit.detail(request, (dry ? "would replay " : "replayed ") + count + " events");
    return Json.ok(new Replayed(count, dry));
  }
}
