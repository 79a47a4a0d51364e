package dev.holdfast.server.remote;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** A running service, as the options of a command say where it is. For one thread. */
final class Remote {
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final int FIRST_REFUSAL = 300;
  private static final int UNAUTHORIZED = 401;
  private static final int NOT_FOUND = 404;

  @Option(
      names = "--url",
      paramLabel = "URL",
      defaultValue = "${env:HOLDFAST_URL:-http://127.0.0.1:7411}",
      description = "where the service is; or set HOLDFAST_URL (default: ${DEFAULT-VALUE})")
  String url = "";

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = "a file with a token of the service; or set HOLDFAST_TOKEN")
  @Nullable Path tokenFile;

  @Option(names = "--json", description = "print what the API has answered, for scripts")
  boolean json;

  private final HttpClient http = HttpClient.newHttpClient();

  /** What the service answered, and which version of it that was. */
  record Answer(JsonNode body, String etag) {}

  static JsonNode tree(Object value) {
    return JSON.valueToTree(value);
  }

  /** JSON that somebody has typed, where it is some. */
  static @Nullable JsonNode parsed(String text) {
    try {
      return JSON.readTree(text);
    } catch (JacksonException e) {
      return null;
    }
  }

  static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /** Prints an answer as it is, where {@code --json} was said. */
  boolean printed(JsonNode answer) {
    if (json) {
      System.out.println(JSON.writeValueAsString(answer));
    }
    return json;
  }

  Answer get(String path) {
    return send("GET", path, null, "");
  }

  /** Which version there is now; empty where there is none. */
  String etag(String path) {
    try {
      return get(path).etag();
    } catch (RemoteException e) {
      if (e.status() == NOT_FOUND) {
        return "";
      }
      throw e;
    }
  }

  Answer post(String path, @Nullable Object body) {
    return send("POST", path, body, "");
  }

  /** With an ETag it is refused where what was read has changed since. */
  Answer send(String method, String path, @Nullable Object body, String etag) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(address(path))
            .timeout(TIMEOUT)
            .header("Authorization", "Bearer " + token())
            .method(
                method,
                body == null
                    ? BodyPublishers.noBody()
                    : BodyPublishers.ofByteArray(JSON.writeValueAsBytes(body)));
    if (body != null) {
      request.header("Content-Type", "application/json");
    }
    if (!etag.isEmpty()) {
      request.header("If-Match", etag);
    }
    try {
      return answer(http.send(request.build(), BodyHandlers.ofString()));
    } catch (ConnectException e) {
      throw new RemoteException(
          "no service answers at " + url + "; start one with ./holdfast serve, or say --url");
    } catch (IOException e) {
      throw new RemoteException(
          "the connection to %s has broken, and what became of the request is not known: %s"
              .formatted(url, e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RemoteException("interrupted");
    }
  }

  private URI address(String path) {
    try {
      URI address = URI.create(url.replaceFirst("/+$", "") + path);
      if (address.getHost() != null) {
        return address;
      }
    } catch (IllegalArgumentException e) {
      // said below
    }
    throw new RemoteException("--url must be such as http://127.0.0.1:7411, was '" + url + "'");
  }

  private String token() {
    String token = System.getenv().getOrDefault("HOLDFAST_TOKEN", "");
    if (tokenFile != null) {
      try {
        token = Files.readString(tokenFile).strip();
      } catch (IOException e) {
        throw new RemoteException("cannot read --token-file: " + e);
      }
    }
    if (!token.matches("\\p{Graph}+")) {
      throw new RemoteException(
          "a token is needed: set HOLDFAST_TOKEN or say --token-file; ./holdfast token new NAME"
              + " makes one");
    }
    return token;
  }

  private static Answer answer(HttpResponse<String> response) {
    JsonNode body = response.body().isBlank() ? tree("") : parsed(response.body());
    if (response.statusCode() >= FIRST_REFUSAL) {
      throw new RemoteException(response.statusCode(), refusal(response.statusCode(), body));
    }
    if (body == null) {
      throw new RemoteException("what answers there is no Holdfast: it has sent no JSON");
    }
    return new Answer(body, response.headers().firstValue("ETag").orElse(""));
  }

  private static String refusal(int status, @Nullable JsonNode body) {
    String detail = body == null ? "" : body.path("detail").asString("");
    if (status == UNAUTHORIZED) {
      return "the service does not know this token; ./holdfast token new NAME makes one, with the"
          + " same --data or --database-url as the service";
    }
    return "the service refused with " + status + (detail.isEmpty() ? "" : ": " + detail);
  }
}
