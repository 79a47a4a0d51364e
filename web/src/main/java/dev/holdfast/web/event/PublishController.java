package dev.holdfast.web.event;

import dev.holdfast.web.api.ApiController;
import dev.holdfast.web.api.Members;
import dev.holdfast.web.api.ProblemType;
import dev.holdfast.web.event.Storing.Draft;
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

/** Takes in a request that is to be passed on: its body as it is, to the URL in its path. */
@ApiController
class PublishController {
  private static final String FORWARD = "holdfast-forward-";
  private static final Pattern WHOLE = Pattern.compile("\\d{1,6}");

  /** The headers that say what a member of a new event says. */
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
  private static final String RETRIES = "Holdfast-Max-Retries";
  private static final String TAGS = "Holdfast-Tags";
  private static final String METHOD = "Holdfast-Method";

  private final NewEvents newEvents;
  private final Intake intake;
  private final EventAnswers answers;

  PublishController(NewEvents newEvents, Intake intake, EventAnswers answers) {
    this.newEvents = newEvents;
    this.intake = intake;
    this.answers = answers;
  }

  @PostMapping(path = "/v1/publish/{*url}", produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> publish(HttpServletRequest request) throws IOException {
    requireKnownHeaders(request);
    String key = EventIntakeController.key(request, KEY);
    ObjectNode asked = JsonNodeFactory.instance.objectNode();
    asked.set("target", target(request));
    HEADERS.forEach((member, header) -> put(asked, member, request.getHeader(header)));
    String priority = request.getHeader(PRIORITY);
    if (priority != null) {
      asked.put("priority", whole(PRIORITY, priority));
    }
    String retries = request.getHeader(RETRIES);
    if (retries != null) {
      asked.putObject("retry").put("maxAttempts", whole(RETRIES, retries) + 1);
    }
    String tags = request.getHeader(TAGS);
    if (tags != null) {
      var all = asked.putArray("tags");
      List.of(Utf8.header(tags).split(",", -1)).forEach(tag -> all.add(tag.strip()));
    }
    Draft draft = newEvents.read(Members.of(asked, PublishController::nameOf), key);
    return answers.stored(request, intake.store(draft));
  }

  /** A mistyped key or time must not make another call than was meant. */
  private static void requireKnownHeaders(HttpServletRequest request) {
    Set<String> known = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    known.addAll(HEADERS.values());
    known.addAll(List.of(KEY, METHOD, PRIORITY, RETRIES, TAGS));
    for (String name : Collections.list(request.getHeaderNames())) {
      String lower = name.toLowerCase(Locale.ROOT);
      if (lower.startsWith("holdfast-") && !lower.startsWith(FORWARD) && !known.contains(name)) {
        throw ProblemType.INVALID_ARGUMENT
            .with(
                "'%s': is not known; known are %s and Holdfast-Forward-…"
                    .formatted(name, String.join(", ", known)))
            .with("member", name)
            .exception();
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
      node.put(member, Utf8.header(value.strip()));
    }
  }

  private static int whole(String header, String text) {
    if (!WHOLE.matcher(text).matches()) {
      throw ProblemType.INVALID_ARGUMENT
          .with("'" + header + "': must be a whole number")
          .with("member", header)
          .exception();
    }
    return Integer.parseInt(text);
  }

  /** How whoever has sent the request calls a member. */
  private static String nameOf(String member) {
    return switch (member) {
      case "target.url", "target" -> "url";
      case "target.method" -> METHOD;
      case "target.contentType" -> HttpHeaders.CONTENT_TYPE;
      case "target.headers" -> "Holdfast-Forward-…";
      case "priority" -> PRIORITY;
      case "retry.maxAttempts" -> RETRIES;
      case "tags" -> TAGS;
      default -> HEADERS.getOrDefault(member, member);
    };
  }
}
