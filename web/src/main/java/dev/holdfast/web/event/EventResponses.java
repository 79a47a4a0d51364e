package dev.holdfast.web.event;

import dev.holdfast.event.EventId;
import dev.holdfast.event.EventRecord;
import dev.holdfast.servlet.ETags;
import dev.holdfast.servlet.Problem;
import dev.holdfast.web.api.Json;
import dev.holdfast.web.api.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;

/** Creates responses with one event, whose ETag is its version. */
final class EventResponses {
  private final String path;

  /**
   * @param path under which the API is mounted
   */
  EventResponses(String path) {
    this.path = path;
  }

  static String etag(EventRecord event) {
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

  ResponseEntity<byte[]> stored(HttpServletRequest request, EventIntake.Stored stored) {
    return switch (stored.kind()) {
      case NEW -> created(request, stored.event());
      case SAME ->
          of(
              HttpStatus.OK,
              stored.event(),
              EventView.of(stored.event()),
              location(request, stored.event().id()));
      case OTHER -> throw keyConflict(stored.event()).toException();
    };
  }

  static Problem keyConflict(EventRecord existing) {
    return ProblemType.CONFLICT
        .with(
            "the key belongs to event "
                + existing.id()
                + ", which was created by a different request")
        .with("event", existing.id().toString());
  }

  private String location(HttpServletRequest request, EventId id) {
    return request.getContextPath() + path + "/v1/events/" + id;
  }

  private static ResponseEntity<byte[]> of(
      HttpStatus status, EventRecord event, EventView view, @Nullable String location) {
    ResponseEntity.BodyBuilder response =
        ResponseEntity.status(status)
            .contentType(MediaType.APPLICATION_JSON)
            .eTag(ETags.of(event.version()));
    if (location != null) {
      response.header("Location", location);
    }
    return response.body(Json.bytes(view));
  }
}
