package dev.holdfast.web;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.web.api.ProblemType;
import java.io.InputStream;
import java.net.http.HttpRequest;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.yaml.snakeyaml.Yaml;

/** The document of the API says what the controllers do, no more and no less. */
class OpenApiTest {
  private static final Set<String> METHODS = Set.of("get", "put", "post", "delete", "patch");

  @Test
  void everyOperationIsInTheDocumentAndNoOther() throws Exception {
    Set<String> told = new TreeSet<>();
    members(document(), "paths")
        .forEach(
            (path, operations) ->
                ((Map<?, ?>) operations)
                    .keySet().stream()
                        .map(String::valueOf)
                        .filter(METHODS::contains)
                        .forEach(method -> told.add(method.toUpperCase(Locale.ROOT) + " " + path)));

    assertThat(told).isEqualTo(implemented());
  }

  @Test
  void everyProblemIsInTheDocument() throws Exception {
    Map<?, ?> type =
        members(
            members(members(members(document(), "components"), "schemas"), "Problem"),
            "properties");
    Object examples = members(type, "type").get("examples");

    assertThat((Iterable<?>) examples)
        .map(String::valueOf)
        .containsExactlyElementsOf(
            Stream.of(ProblemType.values()).map(known -> known.with("any").type()).toList());
  }

  @Test
  void theDocumentIsWellFormed() {
    OpenApiDocument.load().requireWellFormed();
  }

  @Test
  void everyOperationNeedsAToken() throws Exception {
    Set<String> operations = implemented();
    operations.remove("POST /v1/session"); // its body has the token
    try (Application application = Application.start()) {
      for (String operation : operations) {
        String[] parts = operation.split(" ", -1);
        HttpRequest.Builder request =
            application
                .open(parts[1].replaceAll("\\{[^}]*}", "a"))
                .header("Content-Type", "application/json")
                .header("If-Match", "*")
                .method(parts[0], Application.text("{}"));
        assertThat(application.send(request).statusCode()).as(operation).isEqualTo(401);
        request.header("Authorization", "Bearer hf_abcdefghij_wrong");
        assertThat(application.send(request).statusCode()).as(operation).isEqualTo(401);
      }
    }
  }

  private static Set<String> implemented() {
    Set<String> all = new TreeSet<>();
    try (var application = Application.start()) {
      for (Object controller : application.controllers()) {
        RequestMapping base =
            AnnotatedElementUtils.findMergedAnnotation(controller.getClass(), RequestMapping.class);
        String prefix = base == null ? "" : base.path()[0];
        for (var method : controller.getClass().getDeclaredMethods()) {
          RequestMapping mapping =
              AnnotatedElementUtils.findMergedAnnotation(method, RequestMapping.class);
          if (mapping != null) {
            String path = prefix + (mapping.path().length == 0 ? "" : mapping.path()[0]);
            for (RequestMethod verb : mapping.method()) {
              all.add(verb + " " + path.replace("{*", "{"));
            }
          }
        }
      }
    }
    all.removeIf(operation -> !operation.contains(" /v1/"));
    return all;
  }

  private static Map<?, ?> members(Map<?, ?> of, String name) {
    return (Map<?, ?>) requireNonNull(of.get(name), name);
  }

  private static Map<?, ?> document() throws Exception {
    try (InputStream file = OpenApiTest.class.getResourceAsStream("openapi.yaml")) {
      return new Yaml().load(file);
    }
  }
}
