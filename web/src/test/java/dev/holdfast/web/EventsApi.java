package dev.holdfast.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Speaks with the API of an application. */
final class EventsApi {
  static final String TARGET = "{\"target\":{\"url\":\"https://example.org/a\"}}";
  static final String LATER =
      "{\"target\":{\"url\":\"https://example.org/a\"},\"at\":\"2040-01-01T00:00:00Z\"}";

  private static final JsonMapper MAPPER = JsonMapper.shared();

  private final Application application;

  EventsApi(Application application) {
    this.application = application;
  }

  /** An answer, read. */
  record Answer(int status, JsonNode body, HttpResponse<String> http) {
    String header(String name) {
      return http.headers().firstValue(name).orElse("");
    }

    String text(String member) {
      return body.path(member).stringValue("");
    }

    Answer is(int expected) {
      assertThat(status).as("%s", body).isEqualTo(expected);
      return this;
    }

    Answer problem(int expected, String type) {
      is(expected);
      assertThat(text("type")).as("%s", body).isEqualTo("urn:holdfast:problem:" + type);
      assertThat(header("Content-Type")).startsWith("application/problem+json");
      return this;
    }

    Answer problem(int expected, String type, String member) {
      problem(expected, type);
      assertThat(text("member")).as("%s", body).isEqualTo(member);
      return this;
    }
  }

  Answer send(String method, String path, @Nullable String body, String... headers) {
    HttpRequest.Builder request = application.request(path);
    if (body != null) {
      request.header("Content-Type", "application/json");
    }
    return send(method, request, body, headers);
  }

  Answer send(
      String method, HttpRequest.Builder request, @Nullable String body, String... headers) {
    if (headers.length > 0) {
      request.headers(headers);
    }
    request.method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    HttpResponse<String> http;
    try {
      http = application.send(request);
    } catch (IOException e) {
      throw new AssertionError(method, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
    return new Answer(
        http.statusCode(), MAPPER.readTree(http.body().isEmpty() ? "{}" : http.body()), http);
  }

  Answer put(String key, String body) {
    return send("PUT", "/v1/events/" + key, body);
  }

  Answer get(String path) {
    return send("GET", path, null);
  }

  Answer post(String path, @Nullable String body, String... headers) {
    return send("POST", path, body, headers);
  }

  /** A new event that is due later. */
  Answer later() {
    return post("/v1/events", LATER).is(201);
  }

  Answer open(String method, String path, @Nullable String body, String... headers) {
    return send(
        method, application.open(path).header("Content-Type", "application/json"), body, headers);
  }
}
