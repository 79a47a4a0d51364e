package dev.holdfast.idempotency.http;

import dev.holdfast.internal.Require;
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
 * Sends requests with an {@code Idempotency-Key}, the same one however often it sends them, and so
 * may send them again where it is not known what became of them.
 *
 * <pre>{@code
 * HttpResponse<String> response = IdempotentHttpClient.over(HttpClient.newHttpClient())
 *     .send(claim.keyFor("charge"), request, BodyHandlers.ofString());
 * }</pre>
 *
 * <p>A request is sent again after an {@link IOException}, and after 409 with {@code Retry-After},
 * which says that the first one is in progress, 425, 429, 502, 503 and 504. {@code Retry-After} in
 * seconds is waited for; without it, the pause grows from time to time and has a random part. The
 * last answer is given whatever it is, the last exception thrown. Whether the other side keeps its
 * promise to do the same only once is up to that side.
 *
 * <p>The handler of the caller sees the answer that is given, and never one after which the request
 * is sent again: those are read to their end and thrown away. A body that breaks off is an {@code
 * IOException}; the handler is asked once more for the next answer.
 *
 * <p>The body of a request must be one that can be sent several times: those of {@code
 * BodyPublishers.ofString}, {@code ofByteArray} and {@code ofFile} are.
 *
 * <p>By default there are up to 4 attempts within 1 minute, with pauses from 0.2 s to 10 s.
 * Immutable and thread-safe: every setting makes a copy.
 */
public final class IdempotentHttpClient {
  /** The header that has the key. */
  public static final String HEADER = "Idempotency-Key";

  private static final int MAX_KEY_LENGTH = 255;
  private static final Duration MAX = Duration.ofDays(1);

  private final HttpClient client;
  private final int attempts;
  private final Duration deadline;
  private final Duration minDelay;
  private final Duration maxDelay;

  private IdempotentHttpClient(
      HttpClient client, int attempts, Duration deadline, Duration minDelay, Duration maxDelay) {
    this.client = client;
    this.attempts = attempts;
    this.deadline = deadline;
    this.minDelay = minDelay;
    this.maxDelay = maxDelay;
  }

  /** Sending by this client. */
  public static IdempotentHttpClient over(HttpClient client) {
    return new IdempotentHttpClient(
        Require.notNull(client, "client"),
        4,
        Duration.ofMinutes(1),
        Duration.ofMillis(200),
        Duration.ofSeconds(10));
  }

  /** A request is sent so often at most. */
  public IdempotentHttpClient attempts(int most) {
    Require.between(most, 1, 100, "attempts");
    return new IdempotentHttpClient(client, most, deadline, minDelay, maxDelay);
  }

  /**
   * All attempts and pauses of a request take no longer than this, nor does the body of its answer,
   * unless its handler gives it as a stream; an attempt whose own timeout would be later gets this
   * one.
   */
  public IdempotentHttpClient deadline(Duration time) {
    Require.between(time, Duration.ofMillis(1), MAX, "deadline");
    return new IdempotentHttpClient(client, attempts, time, minDelay, maxDelay);
  }

  /** The first pause, which is doubled each time, and the longest one. */
  public IdempotentHttpClient pauses(Duration shortest, Duration longest) {
    Require.between(shortest, Duration.ofMillis(1), MAX, "the shortest pause");
    Require.between(longest, shortest, MAX, "the longest pause");
    return new IdempotentHttpClient(client, attempts, deadline, shortest, longest);
  }

  /**
   * Sends a request with its own key, or with a random one where it has none.
   *
   * @throws IOException where the last attempt has failed; those before it are suppressed ones
   * @throws InterruptedException where the thread is interrupted; the request may have taken effect
   */
  public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
      throws IOException, InterruptedException {
    Require.notNull(request, "request");
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
    Require.notNull(request, "request");
    return send(quoted(key), () -> request, handler, true);
  }

  /**
   * Sends a request with this key, made anew for each attempt: for bodies that can be sent only
   * once. It must be the same request each time.
   */
  public <T> HttpResponse<T> send(
      String key, Supplier<HttpRequest> requests, BodyHandler<T> handler)
      throws IOException, InterruptedException {
    Require.notNull(requests, "requests");
    return send(quoted(key), requests, handler, true);
  }

  /** As a string of RFC 8941. */
  private static String quoted(String key) {
    Require.notNull(key, "key");
    Require.that(
        !key.isEmpty() && key.length() <= MAX_KEY_LENGTH,
        () -> "an idempotency key must have from 1 to 255 characters, had " + key.length());
    Require.that(
        key.chars().allMatch(c -> c >= ' ' && c < 0x7f),
        "an idempotency key must have visible ASCII characters and blanks only");
    return '"' + key.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  private <T> HttpResponse<T> send(
      String header, Supplier<HttpRequest> requests, BodyHandler<T> handler, boolean set)
      throws IOException, InterruptedException {
    Require.notNull(handler, "handler");
    long end = System.nanoTime() + deadline.toNanos();
    Duration pause = minDelay;
    IOException before = null;
    for (int number = 1; ; number++) {
      Attempt<T> attempt = new Attempt<>(handler, number == attempts, end, pause);
      try {
        HttpResponse<T> response = answer(keyed(requests.get(), header, set, end), attempt, end);
        if (!attempt.isThrownAway()) {
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
      attempt.rest();
      pause = pause.multipliedBy(2).compareTo(maxDelay) < 0 ? pause.multipliedBy(2) : maxDelay;
    }
  }

  /** The timeout of a request ends with the headers of its answer; the deadline does not. */
  private <T> HttpResponse<T> answer(HttpRequest request, BodyHandler<T> handler, long end)
      throws IOException, InterruptedException {
    CompletableFuture<HttpResponse<T>> sent = client.sendAsync(request, handler);
    try {
      return sent.get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      sent.cancel(true);
      throw new HttpTimeoutException("the deadline is over, and the answer has not ended");
    } catch (InterruptedException e) {
      sent.cancel(true);
      throw e;
    } catch (ExecutionException e) {
      throw thrown(e.getCause());
    }
  }

  /** As {@code HttpClient.send} throws it. */
  private static IOException thrown(@Nullable Throwable failure) {
    if (failure instanceof RuntimeException unchecked) {
      throw unchecked;
    }
    if (failure instanceof Error error) {
      throw error;
    }
    return failure instanceof IOException known ? known : new IOException(failure);
  }

  /** The request with its key, and with no more time than there is. */
  private static HttpRequest keyed(HttpRequest request, String header, boolean set, long end)
      throws HttpTimeoutException {
    long left = end - System.nanoTime();
    if (left <= 0) {
      throw new HttpTimeoutException("the deadline of the request is over");
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
