package dev.holdfast.client;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests with an {@code Idempotency-Key} and retries them with the same key if their
 * outcome is unknown.
 *
 * <pre>{@code
 * IdempotentHttpClient client = IdempotentHttpClient.create();
 * HttpResponse<String> response = client.send("order-4711", request, BodyHandlers.ofString());
 * }</pre>
 *
 * <p>Retries after an {@link IOException}, after 409 with {@code Retry-After} (the first request is
 * in progress), and after 425, 429, 502, 503 and 504. It waits as long as {@code Retry-After} in
 * seconds demands; otherwise the delay doubles with each attempt and has a random part. Returns the
 * last response whatever its status, or throws the last exception.
 *
 * <p><b>Guarantees:</b> every attempt of one call has the same key. It does not guarantee that the
 * server executes the request once: the server must support the header.
 *
 * <p>The handler of the caller sees only the response that is returned. Responses that are retried
 * are read and discarded. A body that breaks off is an {@code IOException}; the handler is called
 * again for the next response.
 *
 * <p>The body of a request must be one that can be sent several times, such as those of {@code
 * BodyPublishers.ofString}, {@code ofByteArray} and {@code ofFile}.
 *
 * <p><b>Defaults:</b> up to 4 attempts within 1 minute, with delays from 0.2 s to 10 s.
 *
 * <p><b>Threads:</b> immutable and thread-safe.
 */
public final class IdempotentHttpClient {
  /** The header that contains the key. */
  public static final String HEADER = "Idempotency-Key";

  private static final int MAX_KEY_LENGTH = 255;

  private final HttpClient client;
  private final int maxAttempts;
  private final Duration maxDuration;
  private final Duration initialDelay;
  private final Duration maxDelay;

  private IdempotentHttpClient(Builder builder) {
    this.client = builder.client;
    this.maxAttempts = builder.maxAttempts;
    this.maxDuration = builder.maxDuration;
    this.initialDelay = builder.initialDelay;
    this.maxDelay = builder.maxDelay;
  }

  /** Creates a client with the default settings on a new {@link HttpClient}. */
  public static IdempotentHttpClient create() {
    return builder(HttpClient.newHttpClient()).build();
  }

  /** Builds a client that sends its requests through this one. */
  public static Builder builder(HttpClient client) {
    return new Builder(client);
  }

  /** Settings of a client. Not thread-safe. */
  public static final class Builder {
    private static final int MAX_ATTEMPTS = 100;
    private static final Duration MIN = Duration.ofMillis(1);
    private static final Duration MAX = Duration.ofDays(1);

    private final HttpClient client;
    private int maxAttempts = 4;
    private Duration maxDuration = Duration.ofMinutes(1);
    private Duration initialDelay = Duration.ofMillis(200);
    private Duration maxDelay = Duration.ofSeconds(10);

    private Builder(HttpClient client) {
      this.client = requireNonNull(client, "client");
    }

    /** The number of attempts of one request, from 1 to 100; 4 by default. */
    public Builder maxAttempts(int attempts) {
      require(
          attempts >= 1 && attempts <= MAX_ATTEMPTS,
          "maxAttempts must be from 1 to " + MAX_ATTEMPTS + ", was " + attempts);
      this.maxAttempts = attempts;
      return this;
    }

    /**
     * The time for all attempts and delays of one request, including the body of its response,
     * unless the handler returns that as a stream. From 1 ms to 1 day; 1 minute by default. Limits
     * the timeout of each attempt.
     */
    public Builder maxDuration(Duration duration) {
      this.maxDuration = between(duration, MIN, "maxDuration");
      return this;
    }

    /**
     * The delay before the second attempt, which doubles with each further attempt, and the longest
     * one. From 1 ms to 1 day; 0.2 s and 10 s by default.
     */
    public Builder backoff(Duration initialDelay, Duration maxDelay) {
      this.initialDelay = between(initialDelay, MIN, "initialDelay");
      this.maxDelay = between(maxDelay, initialDelay, "maxDelay");
      return this;
    }

    public IdempotentHttpClient build() {
      return new IdempotentHttpClient(this);
    }

    private static Duration between(Duration value, Duration min, String name) {
      requireNonNull(value, name);
      require(
          value.compareTo(min) >= 0 && value.compareTo(MAX) <= 0,
          name + " must be from " + min + " to " + MAX + ", was " + value);
      return value;
    }
  }

  private static <T> T requireNonNull(@Nullable T value, String name) {
    if (value == null) {
      throw new IllegalArgumentException(name + " must not be null");
    }
    return value;
  }

  private static void require(boolean condition, String message) {
    if (!condition) {
      throw new IllegalArgumentException(message);
    }
  }

  /**
   * Sends a request with the key in its header, or with a random one if it has none.
   *
   * @throws IOException if the last attempt fails; the earlier ones are its suppressed exceptions
   * @throws InterruptedException if the thread is interrupted; the request may have taken effect
   */
  public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
      throws IOException, InterruptedException {
    requireNonNull(request, "request");
    String own = request.headers().firstValue(HEADER).orElse(null);
    return own == null
        ? send('"' + UUID.randomUUID().toString() + '"', () -> request, handler, true)
        : send(own, () -> request, handler, false);
  }

  /**
   * Sends a request with this key.
   *
   * @param key from 1 to 255 characters of visible ASCII or blanks; without quotes
   */
  public <T> HttpResponse<T> send(String key, HttpRequest request, BodyHandler<T> handler)
      throws IOException, InterruptedException {
    requireNonNull(request, "request");
    return send(quoted(key), () -> request, handler, true);
  }

  /**
   * Sends a request with this key, created again for each attempt: for bodies that can be sent only
   * once. It must be the same request each time.
   */
  public <T> HttpResponse<T> send(
      String key, Supplier<HttpRequest> requests, BodyHandler<T> handler)
      throws IOException, InterruptedException {
    requireNonNull(requests, "requests");
    return send(quoted(key), requests, handler, true);
  }

  /** Formats the key as a string of RFC 8941. */
  private static String quoted(String key) {
    requireNonNull(key, "key");
    require(
        !key.isEmpty() && key.length() <= MAX_KEY_LENGTH,
        "an idempotency key must have from 1 to 255 characters, had " + key.length());
    require(
        key.chars().allMatch(c -> c >= ' ' && c < 0x7f),
        "an idempotency key must have visible ASCII characters and blanks only");
    return '"' + key.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  private <T> HttpResponse<T> send(
      String header, Supplier<HttpRequest> requests, BodyHandler<T> handler, boolean set)
      throws IOException, InterruptedException {
    requireNonNull(handler, "handler");
    long end = System.nanoTime() + maxDuration.toNanos();
    Duration pause = initialDelay;
    IOException before = null;
    for (int number = 1; ; number++) {
      HttpAttempt<T> attempt = new HttpAttempt<>(handler, number == maxAttempts, end, pause);
      try {
        HttpResponse<T> response = exchange(keyed(requests.get(), header, set, end), attempt, end);
        if (!attempt.isDiscarded()) {
          return response;
        }
      } catch (IOException e) {
        if (before != null && before != e) {
          e.addSuppressed(before);
        }
        before = e;
        if (attempt.isLast()) {
          throw e;
        }
      }
      attempt.pause();
      pause = pause.multipliedBy(2).compareTo(maxDelay) < 0 ? pause.multipliedBy(2) : maxDelay;
    }
  }

  /** The timeout of a request ends with the headers of its response; maxDuration does not. */
  private <T> HttpResponse<T> exchange(HttpRequest request, BodyHandler<T> handler, long end)
      throws IOException, InterruptedException {
    CompletableFuture<HttpResponse<T>> sent = client.sendAsync(request, handler);
    try {
      return sent.get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      sent.cancel(true);
      throw new HttpTimeoutException("the response did not end within maxDuration");
    } catch (InterruptedException e) {
      sent.cancel(true);
      throw e;
    } catch (ExecutionException e) {
      throw thrown(e.getCause());
    }
  }

  /** Converts a failure to what {@code HttpClient.send} throws. */
  private static IOException thrown(@Nullable Throwable failure) {
    if (failure instanceof RuntimeException unchecked) {
      throw unchecked;
    }
    if (failure instanceof Error error) {
      throw error;
    }
    return failure instanceof IOException known ? known : new IOException(failure);
  }

  /** Adds the key, and limits the timeout to the remaining time. */
  private static HttpRequest keyed(HttpRequest request, String header, boolean set, long end)
      throws HttpTimeoutException {
    long left = end - System.nanoTime();
    if (left <= 0) {
      throw new HttpTimeoutException("the attempts of the request took longer than maxDuration");
    }
    Duration own = request.timeout().orElse(null);
    Duration rest = Duration.ofNanos(left);
    HttpRequest.Builder keyed =
        HttpRequest.newBuilder(request, (name, value) -> !set || !HEADER.equalsIgnoreCase(name));
    if (set) {
      keyed.setHeader(HEADER, header);
    }
    return keyed.timeout(own != null && own.compareTo(rest) < 0 ? own : rest).build();
  }
}
