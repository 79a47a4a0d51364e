package dev.holdfast.web.api;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.internal.Excerpt;
import dev.holdfast.servlet.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * The members of a JSON object in a request, with checked types. A member that is null counts as
 * missing. Problems contain the path of the member, such as {@code items[3].target.url}. Not
 * thread-safe.
 */
public final class Members {
  private static final int MAX_SHOWN = 100;
  private static final BigDecimal MAX = BigDecimal.valueOf(Integer.MAX_VALUE);

  private final JsonNode node;
  private final UnaryOperator<String> names;

  private Members(JsonNode node, UnaryOperator<String> names) {
    this.node = node;
    this.names = names;
  }

  /** The members of an object; {@code names} maps a path to its name in a problem. */
  public static Members of(JsonNode node, UnaryOperator<String> names) {
    return new Members(node, names);
  }

  /** The members of a request body. */
  public static Members read(HttpServletRequest request) {
    return ofObject(Json.read(request, JsonNode.class));
  }

  /** The members of a request body; none if there is no body. */
  public static Members readOptional(HttpServletRequest request) {
    try {
      byte[] body = request.getInputStream().readAllBytes();
      return ofObject(
          body.length == 0
              ? JsonNodeFactory.instance.objectNode()
              : Json.read(body, JsonNode.class));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Members ofObject(JsonNode body) {
    if (!body.isObject()) {
      throw ProblemType.MALFORMED_BODY.with("it must be a JSON object").toException();
    }
    return new Members(body, UnaryOperator.identity());
  }

  /** Rejects unknown members. */
  public Members only(Set<String> known) {
    for (String name : node.propertyNames()) {
      if (!known.contains(name)) {
        throw refused(
            Excerpt.of(Text.printable(name), MAX_SHOWN),
            "is unknown; known members are " + String.join(", ", known.stream().sorted().toList()));
      }
    }
    return this;
  }

  /** Whether the member exists and is not null. */
  public boolean has(String name) {
    return any(name) != null;
  }

  /** Any JSON value except null. */
  public @Nullable JsonNode any(String name) {
    JsonNode value = node.get(name);
    return value == null || value.isNull() ? null : value;
  }

  /** A text that every database can store. */
  public @Nullable String text(String name) {
    JsonNode value = any(name);
    return value == null ? null : text(name, value);
  }

  private String text(String name, JsonNode value) {
    if (!value.isString()) {
      throw refused(name, "must be a string");
    }
    return checked(name, () -> Text.requireStorable(value.stringValue()));
  }

  /** A list of texts; empty if it is missing. */
  public List<String> texts(String name) {
    JsonNode value = any(name);
    if (value != null && !value.isArray()) {
      throw refused(name, "must be an array of strings");
    }
    List<String> all = new ArrayList<>();
    for (int i = 0; value != null && i < value.size(); i++) {
      all.add(text(name + "[" + i + "]", value.get(i)));
    }
    return all;
  }

  public @Nullable Integer integer(String name) {
    JsonNode value = any(name);
    if (value == null) {
      return null;
    }
    if (!value.isIntegralNumber() || !value.canConvertToInt()) {
      throw refused(name, "must be an integer from -2147483648 to 2147483647");
    }
    return value.intValue();
  }

  /** A number of at most {@code 2147483647}. */
  public @Nullable Double number(String name) {
    JsonNode value = any(name);
    if (value == null) {
      return null;
    }
    if (!value.isNumber() || value.decimalValue().abs().compareTo(MAX) > 0) {
      throw refused(name, "must be a number of at most 2147483647");
    }
    return value.doubleValue();
  }

  public @Nullable Boolean bool(String name) {
    JsonNode value = any(name);
    if (value != null && !value.isBoolean()) {
      throw refused(name, "must be true or false");
    }
    return value == null ? null : Boolean.valueOf(value.booleanValue());
  }

  public @Nullable Instant time(String name) {
    String value = text(name);
    return value == null ? null : checked(name, () -> Text.time(value));
  }

  public @Nullable Duration duration(String name) {
    String value = text(name);
    return value == null ? null : checked(name, () -> Text.duration(value));
  }

  /** An object. */
  public @Nullable Members object(String name) {
    JsonNode value = any(name);
    if (value == null) {
      return null;
    }
    if (!value.isObject()) {
      throw refused(name, "must be an object");
    }
    return new Members(value, inner -> names.apply(name + "." + inner));
  }

  /** An array of objects. */
  public List<Members> objects(String name, int max) {
    JsonNode value = any(name);
    if (value == null || !value.isArray() || value.size() > max) {
      throw refused(name, "must be an array of at most " + max + " objects");
    }
    List<Members> all = new ArrayList<>(value.size());
    for (int i = 0; i < value.size(); i++) {
      String element = name + "[" + i + "]";
      JsonNode one = value.get(i);
      // an element that is not an object is rejected when it is read, so that the others can be
      // read
      all.add(
          new Members(
              one, inner -> names.apply(inner.isEmpty() ? element : element + "." + inner)));
    }
    return all;
  }

  /** Rejects an element that is not an object. */
  public Members requireObject() {
    if (!node.isObject()) {
      throw refused("", "must be an object");
    }
    return this;
  }

  /** The names of the members, in the order of the request. */
  public List<String> names() {
    return List.copyOf(node.propertyNames());
  }

  /** Runs a step, and converts a rejected argument to a problem of this member. */
  public <T> T checked(String name, Supplier<T> step) {
    try {
      return step.get();
    } catch (InvalidArgumentException e) {
      throw refused(name, String.valueOf(e.getMessage()));
    }
  }

  /** The problem of an invalid member. */
  public ProblemException refused(String name, String reason) {
    String path = names.apply(name);
    return ProblemType.INVALID_ARGUMENT
        .with("'" + path + "': " + reason)
        .with("member", path)
        .toException();
  }
}
