package dev.holdfast.web.event;

import dev.holdfast.web.api.ApiController;
import dev.holdfast.web.api.Members;
import dev.holdfast.web.api.ProblemType;
import dev.holdfast.web.api.Text;
import dev.holdfast.web.event.EventIntake.Draft;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Creates an event that passes the body of the request on to the URL in its path. */
@ApiController
class PublishController {
  private static final String FORWARD = "holdfast-forward-";
  private static final Pattern INTEGER = Pattern.compile("\\d{1,6}");

  /** The headers that correspond to members of a new event. */
  private static final Map<String, String> HEADERS =
      Map.of(
          "delay", "Holdfast-Delay",
          "at", "Holdfast-At",
          "queue", "Holdfast-Queue",
          "timeout", "Holdfast-Timeout",
          "deadline", "Holdfast-Deadline",
          "orderingKey", "Holdfast-Ordering-Key");

  private static final String PRIORITY = "Holdfast-Priority";
  private static final String KEY = "Holdfast-Key";
  private static final String MAX_RETRIES = "Holdfast-Max-Retries";
  private static final String TAGS = "Holdfast-Tags";
  private static final String METHOD = "Holdfast-Method";

  private final EventReader reader;
  private final EventIntake intake;
  private final EventResponses responses;

  PublishController(EventReader reader, EventIntake intake, EventResponses responses) {
    this.reader = reader;
    this.intake = intake;
    this.responses = responses;
  }

  @PostMapping(path = "/v1/publish/{*url}", produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> publish(HttpServletRequest request) throws IOException {
    requireKnownHeaders(request);
    String key = EventCreateController.key(request, KEY);
    ObjectNode event = JsonNodeFactory.instance.objectNode();
    event.set("target", target(request));
    HEADERS.forEach((member, header) -> put(event, member, request.getHeader(header)));
    String priority = request.getHeader(PRIORITY);
    if (priority != null) {
      event.put("priority", integer(PRIORITY, priority));
    }
    String retries = request.getHeader(MAX_RETRIES);
    if (retries != null) {
      event.putObject("retry").put("maxAttempts", integer(MAX_RETRIES, retries) + 1);
    }
    String tags = request.getHeader(TAGS);
    if (tags != null) {
      var all = event.putArray("tags");
      List.of(Text.header(tags).split(",", -1)).forEach(tag -> all.add(tag.strip()));
    }
    Draft draft = reader.read(Members.of(event, PublishController::nameOf), key);
    return responses.stored(request, intake.store(draft));
  }

  /** A mistyped header must not be ignored, because the event would differ. */
  private static void requireKnownHeaders(HttpServletRequest request) {
    Set<String> known = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    known.addAll(HEADERS.values());
    known.addAll(List.of(KEY, METHOD, PRIORITY, MAX_RETRIES, TAGS));
    for (String name : Collections.list(request.getHeaderNames())) {
      String lower = name.toLowerCase(Locale.ROOT);
      if (lower.startsWith("holdfast-") && !lower.startsWith(FORWARD) && !known.contains(name)) {
        throw ProblemType.INVALID_ARGUMENT
            .with(
                "'%s': unknown header; known headers are %s and Holdfast-Forward-…"
                    .formatted(name, String.join(", ", known)))
            .with("member", name)
            .toException();
      }
    }
  }

  private static ObjectNode target(HttpServletRequest request) throws IOException {
    ObjectNode target = JsonNodeFactory.instance.objectNode();
    target.put("url", PublishedUrl.of(request));
    put(target, "method", request.getHeader(METHOD));
    put(target, "contentType", request.getHeader(HttpHeaders.CONTENT_TYPE));
    ObjectNode headers = target.putObject("headers");
    for (String name : Collections.list(request.getHeaderNames())) {
      if (name.toLowerCase(Locale.ROOT).startsWith(FORWARD)) {
        var values = headers.putArray(name.substring(FORWARD.length()));
        Collections.list(request.getHeaders(name)).forEach(values::add);
      }
    }
    byte[] body = request.getInputStream().readAllBytes();
    if (body.length > 0) {
      target.put("base64", Base64.getEncoder().encodeToString(body));
    }
    return target;
  }

  private static void put(ObjectNode node, String member, @Nullable String value) {
    if (value != null) {
      node.put(member, Text.header(value.strip()));
    }
  }

  private static int integer(String header, String text) {
    if (!INTEGER.matcher(text).matches()) {
      throw ProblemType.INVALID_ARGUMENT
          .with("'" + header + "': must be an integer")
          .with("member", header)
          .toException();
    }
    return Integer.parseInt(text);
  }

  /** The name of a member in the request. */
  private static String nameOf(String member) {
    return switch (member) {
      case "target.url", "target" -> "url";
      case "target.method" -> METHOD;
      case "target.contentType" -> HttpHeaders.CONTENT_TYPE;
      case "target.headers" -> "Holdfast-Forward-…";
      case "priority" -> PRIORITY;
      case "retry.maxAttempts" -> MAX_RETRIES;
      case "tags" -> TAGS;
      default -> HEADERS.getOrDefault(member, member);
    };
  }
}
