package dev.holdfast.webhook;

import dev.holdfast.codec.Codec;
import dev.holdfast.event.EventType;
import dev.holdfast.jackson.JacksonCodecs;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A webhook as it is stored in the payload of its event. It is validated when it is accepted, and
 * again by {@link #toCall} before each attempt.
 *
 * @param body in base64; null for none
 * @param timeoutMillis timeout of one attempt
 */
public record WebhookTask(
    String url,
    String method,
    List<Header> headers,
    @Nullable String body,
    long timeoutMillis,
    Retry retry) {

  private static final Codec<WebhookTask> CODEC = JacksonCodecs.of(WebhookTask.class);

  /** The type of all events that are webhooks. */
  public static final EventType<WebhookTask> TYPE =
      EventType.of("holdfast.webhook", WebhookTask.class, CODEC);

  /**
   * Parses the payload of an event of this type.
   *
   * @throws RuntimeException if it is not a webhook
   */
  public static WebhookTask parse(String payload) {
    return CODEC.decode(payload.getBytes(StandardCharsets.UTF_8));
  }

  /** One header of the call. */
  public record Header(String name, String value) {}

  /**
   * The call.
   *
   * @throws dev.holdfast.InvalidArgumentException if it is not allowed
   * @throws IllegalArgumentException if the body is not base64
   */
  WebhookCall toCall() {
    WebhookCall call = WebhookCall.to(url).method(method).timeout(Duration.ofMillis(timeoutMillis));
    for (Header header : headers) {
      call = call.header(header.name(), header.value());
    }
    return body == null ? call : call.body(Base64.getDecoder().decode(body));
  }

  int bodySize() {
    return body == null ? 0 : body.length() / 4 * 3;
  }

  /**
   * The retry policy: exponential backoff with full jitter.
   *
   * @param maxAttempts including the first one
   */
  public record Retry(
      int maxAttempts, long initialDelayMillis, double multiplier, long maxDelayMillis) {
    /** Ten attempts over about a day: 5 s, then four times as long each, at most six hours. */
    public static final Retry STANDARD = new Retry(10, 5_000, 4, 6 * 3_600_000L);

    private static final double MILLIS_OF_A_YEAR = 365 * 24 * 3_600_000.0;

    boolean isLast(int attempt) {
      return attempt >= maxAttempts;
    }

    /**
     * The delay after this attempt, from 1: a random part of the backoff, so that events that
     * failed together are not retried together, and at least the time that the target asked for.
     *
     * @param random from 0 to 1
     */
    Duration delay(int attempt, Optional<Duration> retryAfter, double random) {
      double backoff = (double) initialDelayMillis * Math.pow(Math.max(1, multiplier), attempt - 1);
      double max = Math.min(Math.min(backoff, (double) maxDelayMillis), MILLIS_OF_A_YEAR);
      Duration jittered = Duration.ofMillis((long) (Math.max(0, max) * random));
      return retryAfter.filter(min -> min.compareTo(jittered) > 0).orElse(jittered);
    }
  }
}
