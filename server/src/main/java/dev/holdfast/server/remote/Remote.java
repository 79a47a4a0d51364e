package dev.holdfast.server.remote;

import dev.holdfast.client.HoldfastClient;
import dev.holdfast.client.HoldfastServiceException;
import dev.holdfast.client.ServiceResponse;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URLEncoder;
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

/** A running service, addressed by the options of a command. Not thread-safe. */
final class Remote {
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final int UNAUTHORIZED = 401;
  private static final int NOT_FOUND = 404;

  @Option(
      names = "--url",
      paramLabel = "URL",
      defaultValue = "${env:HOLDFAST_URL:-http://127.0.0.1:7411}",
      description = "URL of the service; or set HOLDFAST_URL (default: ${DEFAULT-VALUE})")
  String url = "";

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = "file with a token of the service; or set HOLDFAST_TOKEN")
  @Nullable Path tokenFile;

  @Option(names = "--json", description = "print the JSON response of the API, for scripts")
  boolean json;

  private @Nullable HoldfastClient client;

  /** A response and its ETag. */
  record Answer(JsonNode body, String etag) {}

  /** The JSON that the user typed; null if it is not JSON. */
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

  /** Prints the response as JSON if {@code --json} was given. */
  boolean printed(JsonNode answer) {
    if (json) {
      System.out.println(JSON.writeValueAsString(answer));
    }
    return json;
  }

  Answer get(String path) {
    return send("GET", path, null, "");
  }

  /** The current ETag; empty if the resource does not exist. */
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

  /** Sends one request, without retries. An ETag makes it conditional. */
  Answer send(String method, String path, @Nullable Object body, String etag) {
    ServiceResponse response;
    try {
      response =
          client().send(method, path, body == null ? null : JSON.writeValueAsString(body), etag);
    } catch (HoldfastServiceException e) {
      throw new RemoteException(e.status(), reason(e));
    }
    JsonNode parsed = response.json().isBlank() ? JSON.valueToTree("") : parsed(response.json());
    if (parsed == null) {
      throw new RemoteException(url + " is not a Holdfast service: it did not respond with JSON");
    }
    return new Answer(parsed, response.etag());
  }

  private HoldfastClient client() {
    HoldfastClient known = client;
    if (known == null) {
      known = builder().token(token()).requestTimeout(TIMEOUT).retryTimeout(Duration.ZERO).build();
      client = known;
    }
    return known;
  }

  private HoldfastClient.Builder builder() {
    try {
      return HoldfastClient.builder(url);
    } catch (IllegalArgumentException e) {
      throw new RemoteException(
          "--url must be a URL such as http://127.0.0.1:7411, was '" + url + "'");
    }
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
          "a token is required: set HOLDFAST_TOKEN or --token-file; ./holdfast token create NAME"
              + " creates one");
    }
    return token;
  }

  private String reason(HoldfastServiceException e) {
    if (e.getCause() instanceof ConnectException) {
      return "no service at " + url + "; start one with ./holdfast serve, or set --url";
    }
    if (e.status() == 0) {
      return "the connection to %s failed; the request may or may not have taken effect: %s"
          .formatted(url, e.getCause());
    }
    return e.status() == UNAUTHORIZED
        ? "the service rejected the token; create one with ./holdfast token create NAME, with the"
            + " same --data or --database-url as the service"
        : String.valueOf(e.getMessage());
  }
}
