package dev.holdfast.web;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The document of the API, to hold answers against: what it does not say must not come. */
final class OpenApiDocument {
  private static final JsonMapper MAPPER = JsonMapper.shared();
  private static final Set<String> METHODS = Set.of("get", "put", "post", "delete", "patch");
  private static final Set<String> TYPES =
      Set.of("object", "array", "string", "integer", "number", "boolean", "null");

  private final JsonNode root;

  private OpenApiDocument(JsonNode root) {
    this.root = root;
  }

  static OpenApiDocument load() {
    try (InputStream file = OpenApiDocument.class.getResourceAsStream("openapi.yaml")) {
      Map<?, ?> document = new Yaml().load(file);
      return new OpenApiDocument(MAPPER.valueToTree(document));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Fails where an answer is not one that the document allows. */
  void check(HttpResponse<String> http) {
    String method = http.request().method();
    String path = http.uri().getRawPath();
    int status = http.statusCode();
    String contentType = http.headers().firstValue("Content-Type").orElse("");
    String body = http.body();
    Optional<JsonNode> operation = operation(method, path);
    JsonNode answers =
        operation.map(found -> found.get("responses")).orElse(root.at("/components/responses"));
    JsonNode answer =
        operation.isEmpty()
            ? answers.get("Problem")
            : answers.has("" + status) ? answers.get("" + status) : answers.get("default");
    JsonNode content = resolved(requireNonNull(answer)).get("content");
    String what = method + " " + path + " -> " + status;
    checkHeaders(what, resolved(answer).path("headers"), http);
    if (content == null) {
      assertThat(body).as(what).isEmpty();
      return;
    }
    JsonNode media = content.get(contentType.split(";", 2)[0]);
    assertThat(media).as("%s has the type %s: %s", what, contentType, body).isNotNull();
    check(what, media.get("schema"), MAPPER.readTree(body));
  }

  /**
   * Of the headers that a client acts on, those are there that the document names, and no other.
   */
  private static void checkHeaders(String what, JsonNode declared, HttpResponse<String> http) {
    boolean success = http.statusCode() < 300;
    for (String name : List.of("ETag", "Location", "Retry-After")) {
      boolean there = http.headers().firstValue(name).isPresent();
      if (there || (success && declared.has(name))) {
        assertThat(there && declared.has(name))
            .as("%s: the header %s is sent, %s, and declared", what, name, there)
            .isTrue();
      }
    }
  }

  private Optional<JsonNode> operation(String method, String path) {
    return root.get("paths").propertyNames().stream()
        .filter(template -> Pattern.matches(pattern(template), path))
        .filter(template -> root.get("paths").get(template).has(method.toLowerCase(Locale.ROOT)))
        .max(Comparator.comparing(template -> template.replaceAll("\\{\\w+}", "").length()))
        .map(template -> root.get("paths").get(template).get(method.toLowerCase(Locale.ROOT)));
  }

  private static String pattern(String template) {
    return Pattern.quote(template)
        .replace("{url}", "\\E.*\\Q")
        .replaceAll("\\{\\w+}", "\\\\E[^/]*\\\\Q");
  }

  private JsonNode resolved(JsonNode node) {
    JsonNode ref = node.get("$ref");
    if (ref == null) {
      return node;
    }
    JsonNode target = root.at(ref.stringValue().substring(1));
    assertThat(target.isMissingNode()).as("%s is there", ref).isFalse();
    return resolved(target);
  }

  private void check(String where, JsonNode given, JsonNode value) {
    JsonNode schema = resolved(given);
    JsonNode type = schema.get("type");
    if (type != null) {
      assertThat(isOfType(type, value)).as("%s is %s: %s", where, type, value).isTrue();
    }
    if (schema.has("enum")) {
      assertThat(schema.get("enum").values()).as(where).contains(value);
    }
    if (value.isArray() && schema.has("items")) {
      for (int i = 0; i < value.size(); i++) {
        check(where + "[" + i + "]", schema.get("items"), value.get(i));
      }
    }
    if (value.isObject()) {
      checkMembers(where, schema, value);
    }
  }

  private void checkMembers(String where, JsonNode schema, JsonNode value) {
    if (schema.has("required")) {
      schema
          .get("required")
          .values()
          .forEach(
              name ->
                  assertThat(value.has(name.stringValue()))
                      .as("%s has %s: %s", where, name, value)
                      .isTrue());
    }
    JsonNode known = schema.get("properties");
    JsonNode others = schema.get("additionalProperties");
    for (String name : value.propertyNames()) {
      if (known != null && known.has(name)) {
        check(where + "." + name, known.get(name), value.get(name));
      } else if (others != null && others.isObject()) {
        check(where + "." + name, others, value.get(name));
      } else {
        assertThat(others == null || others.booleanValue())
            .as("%s may have %s", where, name)
            .isTrue();
      }
    }
  }

  private static boolean isOfType(JsonNode type, JsonNode value) {
    List<JsonNode> types = type.isArray() ? List.copyOf(type.values()) : List.of(type);
    return types.stream().anyMatch(one -> isOfType(one.stringValue(), value));
  }

  private static boolean isOfType(String type, JsonNode value) {
    return switch (type) {
      case "object" -> value.isObject();
      case "array" -> value.isArray();
      case "string" -> value.isString();
      case "integer" -> value.isIntegralNumber();
      case "number" -> value.isNumber();
      case "boolean" -> value.isBoolean();
      default -> throw new AssertionError(type);
    };
  }

  /** The essentials of OpenAPI 3.1. */
  void requireWellFormed() {
    assertThat(root.get("openapi").stringValue()).startsWith("3.1.");
    assertThat(root.at("/info/title").isString()).isTrue();
    assertThat(root.at("/info/version").isString()).isTrue();
    List<String> tags = root.get("tags").findValuesAsString("name");
    assertThat(tags).doesNotHaveDuplicates();
    Set<String> ids = new HashSet<>();
    Set<String> shapes = new HashSet<>();
    for (String path : root.get("paths").propertyNames()) {
      assertThat(path).startsWith("/");
      assertThat(shapes.add(path.replaceAll("\\{\\w+}", "{}"))).as(path).isTrue();
      JsonNode item = root.get("paths").get(path);
      for (String method : item.propertyNames()) {
        if (METHODS.contains(method)) {
          requireOperation(path, item.get("parameters"), item.get(method), ids);
        } else {
          assertThat(method).isEqualTo("parameters");
        }
      }
    }
    requireSchemas(root);
  }

  private void requireOperation(
      String path, @Nullable JsonNode shared, JsonNode operation, Set<String> ids) {
    assertThat(ids.add(operation.get("operationId").stringValue())).as(path).isTrue();
    assertThat(operation.get("responses").has("default")).as(path).isTrue();
    operation
        .get("responses")
        .values()
        .forEach(answer -> assertThat(resolved(answer).has("description")).as(path).isTrue());
    Set<String> inPath = new HashSet<>();
    for (JsonNode list : new JsonNode[] {shared, operation.get("parameters")}) {
      for (JsonNode given : list == null ? List.<JsonNode>of() : List.copyOf(list.values())) {
        JsonNode parameter = resolved(given);
        assertThat(parameter.has("schema")).as("%s %s", path, parameter).isTrue();
        if (parameter.get("in").stringValue().equals("path")) {
          assertThat(parameter.get("required").booleanValue()).isTrue();
          inPath.add("{" + parameter.get("name").stringValue() + "}");
        }
      }
    }
    Set<String> templates = new HashSet<>();
    Pattern.compile("\\{\\w+}").matcher(path).results().forEach(m -> templates.add(m.group()));
    assertThat(inPath).as(path).isEqualTo(templates);
  }

  /** All that is referred to is there, and all types are such. */
  private void requireSchemas(JsonNode node) {
    if (node.isObject() && node.path("$ref").isString()) {
      resolved(node);
    }
    JsonNode properties = node.get("properties");
    if (properties != null && properties.isObject() && node.path("type").isString()) {
      for (JsonNode property : properties.values()) {
        JsonNode type = property.get("type");
        if (type != null && type.isString()) {
          assertThat(TYPES).contains(type.stringValue());
        }
      }
      if (node.has("required")) {
        node.get("required")
            .values()
            .forEach(
                name -> assertThat(properties.has(name.stringValue())).as("%s", name).isTrue());
      }
    }
    node.values().forEach(this::requireSchemas);
  }
}
