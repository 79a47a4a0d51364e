package dev.holdfast.web.event;

import dev.holdfast.event.EventId;
import dev.holdfast.event.EventRecord;
import dev.holdfast.web.api.Json;
import dev.holdfast.web.api.Problem;
import dev.holdfast.web.api.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;

/** Answers with one event: its ETag is its version. */
final class EventAnswers {
  private final String path;

  /**
   * @param path under which the API is mounted
   */
  EventAnswers(String path) {
    this.path = path;
  }

  static String tag(EventRecord event) {
    return Integer.toString(event.version());
  }

  ResponseEntity<byte[]> ok(EventRecord event) {
    return of(HttpStatus.OK, event, EventView.of(event), null);
  }

  ResponseEntity<byte[]> ok(EventRecord event, EventView view) {
    return of(HttpStatus.OK, event, view, null);
  }

  ResponseEntity<byte[]> created(HttpServletRequest request, EventRecord event) {
    return of(HttpStatus.CREATED, event, EventView.of(event), location(request, event.id()));
  }

  /** What became of an event that was to be stored. */
  ResponseEntity<byte[]> stored(HttpServletRequest request, Stored stored) {
    return switch (stored.kind()) {
      case NEW -> created(request, stored.event());
      case SAME ->
          of(
              HttpStatus.OK,
              stored.event(),
              EventView.of(stored.event()),
              location(request, stored.event().id()));
      case OTHER -> throw taken(stored.event()).exception();
    };
  }

  static Problem taken(EventRecord by) {
    return ProblemType.CONFLICT
        .with("the key is taken by the event " + by.id() + ", which was asked for otherwise")
        .with("event", by.id().toString());
  }

  private String location(HttpServletRequest request, EventId id) {
    return request.getContextPath() + path + "/v1/events/" + id;
  }

  private static ResponseEntity<byte[]> of(
      HttpStatus status, EventRecord event, EventView view, @Nullable String location) {
    ResponseEntity.BodyBuilder answer =
        ResponseEntity.status(status)
            .contentType(MediaType.APPLICATION_JSON)
            .eTag("\"" + tag(event) + "\"");
    if (location != null) {
      answer.header("Location", location);
    }
    return answer.body(Json.bytes(view));
  }
}
