package dev.holdfast.web.webhook;

import dev.holdfast.event.EventType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP call that is to be made, as it is stored with its event. What it may contain is decided
 * when it is accepted; what is stored is trusted only as far as {@code WebhookCall} checks it
 * again.
 *
 * @param body in base64, null for none
 * @param timeoutMillis how long one attempt may take
 */
public record WebhookTask(
    String url,
    String method,
    List<Header> headers,
    @Nullable String body,
    long timeoutMillis,
    Retry retry) {

  /** The type of all events that are such calls. */
  public static final EventType<WebhookTask> TYPE =
      EventType.of("holdfast.webhook", WebhookTask.class);

  /** One header of the call. */
  public record Header(String name, String value) {}

  /**
   * How a failed attempt is repeated: after {@code initialDelayMillis}, each time {@code
   * multiplier} times as long, at most {@code maxDelayMillis}, with full jitter, until there were
   * {@code maxAttempts} in all.
   */
  public record Retry(
      int maxAttempts, long initialDelayMillis, double multiplier, long maxDelayMillis) {
    /** Ten attempts over about a day: 5 s, then four times as long each, at most six hours. */
    public static final Retry STANDARD = new Retry(10, 5_000, 4, 6 * 3_600_000L);
  }
}
