package dev.holdfast.web.event;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.web.api.ApiController;
import dev.holdfast.web.api.Members;
import dev.holdfast.web.api.ProblemType;
import dev.holdfast.web.api.Text;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;

/** Creates single events. */
@ApiController
class EventCreateController {
  private static final String IDEMPOTENCY_KEY = "Idempotency-Key";

  private final EventReader reader;
  private final EventIntake intake;
  private final EventResponses responses;

  EventCreateController(EventReader reader, EventIntake intake, EventResponses responses) {
    this.reader = reader;
    this.intake = intake;
    this.responses = responses;
  }

  @PutMapping(
      path = "/v1/events/{event}",
      consumes = MediaType.APPLICATION_JSON_VALUE,
      produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> put(HttpServletRequest request, @PathVariable("event") String key) {
    requireKey("key", key);
    return store(request, key);
  }

  @PostMapping(
      path = "/v1/events",
      consumes = MediaType.APPLICATION_JSON_VALUE,
      produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> post(HttpServletRequest request) {
    return store(request, key(request, IDEMPOTENCY_KEY));
  }

  private ResponseEntity<byte[]> store(HttpServletRequest request, @Nullable String key) {
    return responses.stored(request, intake.store(reader.read(Members.read(request), key)));
  }

  /** The key in a header, with or without quotes; null if there is none. */
  static @Nullable String key(HttpServletRequest request, String header) {
    String given = request.getHeader(header);
    if (given == null) {
      return null;
    }
    String text = Text.header(given.strip());
    boolean quoted = text.length() > 1 && text.startsWith("\"") && text.endsWith("\"");
    String key = quoted ? text.substring(1, text.length() - 1) : text;
    requireKey(header, key);
    return key;
  }

  private static void requireKey(String name, String key) {
    try {
      EventReader.requireKey(key);
    } catch (InvalidArgumentException e) {
      throw ProblemType.INVALID_ARGUMENT
          .with("'" + name + "': " + e.getMessage())
          .with("member", name)
          .toException();
    }
  }
}
