package dev.holdfast.web.schedule;

import dev.holdfast.internal.Require;
import dev.holdfast.schedule.Recurrence;
import dev.holdfast.schedule.Schedule;
import dev.holdfast.schedule.ScheduleChangeResult;
import dev.holdfast.schedule.ScheduleRecord;
import dev.holdfast.schedule.ScheduleTriggerResult;
import dev.holdfast.schedule.Schedules;
import dev.holdfast.servlet.ETags;
import dev.holdfast.servlet.Precondition;
import dev.holdfast.servlet.ProblemException;
import dev.holdfast.web.api.ApiController;
import dev.holdfast.web.api.Audited;
import dev.holdfast.web.api.Json;
import dev.holdfast.web.api.Members;
import dev.holdfast.web.api.ProblemType;
import dev.holdfast.web.event.TargetView;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Creates, shows, changes and triggers schedules. */
@ApiController
class ScheduleController {
  private static final int MAX_LISTED = 100;
  private static final int FIRES_LISTED = 3;
  private static final int FIRES = 10;
  private static final int MAX_PREVIEWED = 1000;

  private final Schedules schedules;
  private final ScheduleReader reader;

  ScheduleController(Schedules schedules, ScheduleReader reader) {
    this.schedules = schedules;
    this.reader = reader;
  }

  record Page(List<ScheduleView> items, @Nullable String next) {}

  record Preview(String recurrence, String description, List<Instant> next) {}

  record Triggered(String event) {}

  @Audited
  @PutMapping(
      path = "/v1/schedules/{name}",
      consumes = MediaType.APPLICATION_JSON_VALUE,
      produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> put(@PathVariable("name") String name, HttpServletRequest request) {
    Members given = Members.read(request);
    boolean onlyNew = isOnlyNew(request);
    boolean conditional = request.getHeader(HttpHeaders.IF_MATCH) != null;
    if (!conditional) {
      Schedule wanted = reader.read(name, given, null);
      ScheduleChangeResult change = schedules.createIfAbsent(wanted);
      if (onlyNew && change instanceof ScheduleChangeResult.Unchanged there) {
        throw Precondition.changed(there.schedule().etag());
      }
      if (!onlyNew && change instanceof ScheduleChangeResult.Conflict) {
        // responds with 428
        Precondition.from(request).requireIfMatch();
      }
      return answer(change);
    }
    ScheduleRecord seen = find(name);
    Precondition.from(request).requireIfMatch().check(seen.etag());
    Schedule wanted = reader.read(name, given, ScheduleView.task(seen.event()));
    // putIfMatch compares the row again
    return answer(schedules.putIfMatch(wanted, seen.etag()));
  }

  private static boolean isOnlyNew(HttpServletRequest request) {
    String header = request.getHeader(HttpHeaders.IF_NONE_MATCH);
    if (header != null && !header.strip().equals("*")) {
      throw ProblemType.INVALID_ARGUMENT.with("If-None-Match must be *").toException();
    }
    return header != null;
  }

  /** The change compares the row again. */
  private ScheduleChangeResult ifSeen(
      String name,
      Precondition precondition,
      BiFunction<String, String, ScheduleChangeResult> change) {
    ScheduleRecord seen = find(name);
    precondition.check(seen.etag());
    return change.apply(name, seen.etag());
  }

  private ScheduleRecord find(String name) {
    return schedules.find(name).orElseThrow(ScheduleController::missing);
  }

  private static ProblemException missing() {
    return ProblemType.NOT_FOUND.with("there is no schedule with this name").toException();
  }

  private static ResponseEntity<byte[]> answer(ScheduleChangeResult change) {
    if (change instanceof ScheduleChangeResult.Created created) {
      return answer(HttpStatus.CREATED, created.schedule());
    }
    if (change instanceof ScheduleChangeResult.Updated updated) {
      return answer(HttpStatus.OK, updated.schedule());
    }
    if (change instanceof ScheduleChangeResult.Unchanged unchanged) {
      return answer(HttpStatus.OK, unchanged.schedule());
    }
    if (change instanceof ScheduleChangeResult.Deleted) {
      return ResponseEntity.noContent().build();
    }
    if (change instanceof ScheduleChangeResult.Conflict conflict) {
      throw Precondition.changed(conflict.current().etag());
    }
    throw missing();
  }

  private static ResponseEntity<byte[]> answer(HttpStatus status, ScheduleRecord schedule) {
    return answer(status, schedule, false);
  }

  private static ResponseEntity<byte[]> answer(
      HttpStatus status, ScheduleRecord schedule, boolean bodyAsText) {
    return ResponseEntity.status(status)
        .contentType(MediaType.APPLICATION_JSON)
        .eTag(ETags.of(schedule.etag()))
        .body(Json.bytes(ScheduleView.of(schedule, FIRES, bodyAsText)));
  }

  @GetMapping(path = "/v1/schedules", produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> list(
      @RequestParam(name = "cursor", defaultValue = "") String cursor,
      @RequestParam(name = "limit", defaultValue = "50") int limit) {
    Require.between(limit, 1, MAX_LISTED, "limit");
    List<ScheduleRecord> found = schedules.list(cursor, limit + 1);
    List<ScheduleRecord> page = found.subList(0, Math.min(limit, found.size()));
    return Json.ok(
        new Page(
            page.stream().map(one -> ScheduleView.brief(one, FIRES_LISTED)).toList(),
            found.size() > limit ? page.get(page.size() - 1).name() : null));
  }

  @GetMapping(path = "/v1/schedules/{name}", produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> get(
      @PathVariable("name") String name,
      @RequestParam(name = "body", defaultValue = "json") String body) {
    boolean asText = TargetView.isText(body);
    return answer(HttpStatus.OK, find(name), asText);
  }

  @Audited
  @DeleteMapping(path = "/v1/schedules/{name}")
  ResponseEntity<byte[]> delete(@PathVariable("name") String name, HttpServletRequest request) {
    return answer(
        ifSeen(name, Precondition.from(request).requireIfMatch(), schedules::deleteIfMatch));
  }

  @Audited
  @PostMapping(path = "/v1/schedules/{name}:pause", produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> pause(@PathVariable("name") String name, HttpServletRequest request) {
    return answer(
        ifSeen(name, Precondition.from(request).requireIfMatch(), schedules::pauseIfMatch));
  }

  @Audited
  @PostMapping(path = "/v1/schedules/{name}:resume", produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> resume(@PathVariable("name") String name, HttpServletRequest request) {
    return answer(
        ifSeen(name, Precondition.from(request).requireIfMatch(), schedules::resumeIfMatch));
  }

  @Audited
  @PostMapping(path = "/v1/schedules/{name}:trigger", produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> trigger(@PathVariable("name") String name, HttpServletRequest request) {
    Precondition.from(request).check(find(name).etag());
    ScheduleTriggerResult result = schedules.trigger(name);
    if (result instanceof ScheduleTriggerResult.Triggered triggered) {
      return Json.of(HttpStatus.CREATED, new Triggered(triggered.eventId().toString()));
    }
    if (result instanceof ScheduleTriggerResult.Overlapping overlapping) {
      throw ProblemType.CONFLICT
          .with("the event of an earlier fire has not ended, and this schedule skips")
          .with("event", overlapping.eventId().toString())
          .toException();
    }
    throw missing();
  }

  @PostMapping(
      path = "/v1/schedules:preview",
      consumes = MediaType.APPLICATION_JSON_VALUE,
      produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> preview(HttpServletRequest request) {
    Members all = Members.read(request).only(Set.of("recurrence", "count", "after"));
    Recurrence recurrence = ScheduleReader.recurrence(all);
    Integer given = all.integer("count");
    int count = given == null ? FIRES : given;
    all.checked("count", () -> Require.between(count, 1, MAX_PREVIEWED, "count"));
    Instant after = all.time("after");
    return Json.ok(
        new Preview(
            recurrence.format(),
            Description.of(recurrence),
            recurrence.next(after == null ? Instant.now() : after, count)));
  }
}
