package dev.holdfast.client;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Sends idempotent requests. Each is retried until the retry timeout ends, while the service is
 * unreachable or asks for a retry. Immutable and thread-safe.
 */
record Requests(
    HttpClient http, URI address, String token, Duration timeout, Duration retryTimeout) {
  private static final Set<Integer> RETRYABLE = Set.of(429, 502, 503, 504);
  private static final long INITIAL_DELAY_MILLIS = 100;
  private static final long MAX_DELAY_MILLIS = 5_000;
  private static final int MAX_DETAIL_LENGTH = 500;

  /** A response, with its body as read by {@link Json#read}. */
  record Answer(int status, String etag, @Nullable Object body) {
    Map<?, ?> members() {
      if (body instanceof Map<?, ?> members) {
        return members;
      }
      throw new HoldfastServiceException(
          status, "service-unexpected-response", "the service did not return a JSON object");
    }

    String text(String member) {
      return body instanceof Map<?, ?> members && members.get(member) instanceof String text
          ? text
          : "";
    }

    /** The exception for a response that is not a success. */
    HoldfastServiceException refusal() {
      String type = text("type");
      String code = type.substring(type.lastIndexOf(':') + 1);
      return new HoldfastServiceException(
          status,
          code.isEmpty() ? "http-" + status : code,
          "the service responded with " + status + ": " + (body == null ? "" : text("detail")));
    }
  }

  static String encoded(String segment) {
    return URLEncoder.encode(segment, StandardCharsets.UTF_8).replace("+", "%20");
  }

  Answer send(String method, String path, @Nullable String body, Map<String, String> headers) {
    return answer(exchange(method, path, body, headers));
  }

  HttpResponse<String> exchange(
      String method, String path, @Nullable String body, Map<String, String> headers) {
    HttpRequest request = request(method, path, body, headers);
    long end = System.nanoTime() + retryTimeout.toNanos();
    for (int attempt = 0; ; attempt++) {
      long delay = delayMillis(attempt);
      try {
        HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
        delay = Math.max(delay, retryAfterMillis(response));
        if (!RETRYABLE.contains(response.statusCode()) || !mayWait(delay, end)) {
          return response;
        }
      } catch (IOException e) {
        if (!mayWait(delay, end)) {
          throw new HoldfastServiceException(
              "the service at " + address + " is unreachable: " + e, e);
        }
      } catch (InterruptedException e) {
        throw interrupted(e);
      }
      sleep(delay);
    }
  }

  private HttpRequest request(
      String method, String path, @Nullable String body, Map<String, String> headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(address + path))
            .timeout(timeout)
            .header("Authorization", "Bearer " + token)
            .header("Accept", "application/json")
            .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    if (body != null) {
      request.header("Content-Type", "application/json");
    }
    headers.forEach(request::header);
    return request.build();
  }

  static Answer answer(HttpResponse<String> response) {
    String etag = response.headers().firstValue("ETag").orElse("");
    return new Answer(response.statusCode(), etag, read(response.body()));
  }

  private static @Nullable Object read(String text) {
    try {
      return text.isBlank() ? null : Json.read(text);
    } catch (IllegalArgumentException e) {
      return Map.of("detail", text.substring(0, Math.min(text.length(), MAX_DETAIL_LENGTH)));
    }
  }

  /** Exponential backoff with jitter, so that many clients do not retry at the same moment. */
  private static long delayMillis(int attempt) {
    long max = Math.min(MAX_DELAY_MILLIS, INITIAL_DELAY_MILLIS << Math.min(attempt, 10));
    return ThreadLocalRandom.current().nextLong(max / 2, max + 1);
  }

  private static long retryAfterMillis(HttpResponse<?> response) {
    String seconds = response.headers().firstValue("Retry-After").orElse("");
    return seconds.matches("\\d{1,6}") ? Long.parseLong(seconds) * 1000 : 0;
  }

  private static boolean mayWait(long millis, long end) {
    return System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis) - end < 0;
  }

  private void sleep(long millis) {
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private HoldfastServiceException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new HoldfastServiceException(
        "interrupted while waiting for the service at " + address, e);
  }

  /** Without the token. */
  @Override
  public String toString() {
    return "requests to " + address;
  }
}
