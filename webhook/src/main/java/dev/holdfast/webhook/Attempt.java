package dev.holdfast.webhook;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * One attempt to make a call. All parts may be stored and shown: secrets of the call are redacted,
 * also if the target repeated them.
 *
 * @param startedAt by the clock of this machine, for display only
 * @param duration by a monotonic clock
 * @param address the address that was connected to, or the last one that was tried
 * @param status the status of the response, also if its body was incomplete
 * @param excerpt the beginning of the response body as safe text
 * @param error why it failed; empty if and only if it succeeded
 */
public record Attempt(
    Instant startedAt,
    Duration duration,
    Optional<String> address,
    OptionalInt status,
    String excerpt,
    Optional<String> error,
    Result result) {

  /** What an attempt means for the delivery. */
  public sealed interface Result {

    /** The target responded with 2xx, completely and in time. */
    record Success() implements Result {}

    /**
     * The attempt failed, and another one may succeed.
     *
     * @param retryAfter the delay that the target asked for with 429 or 503, limited
     */
    record Retry(Optional<Duration> retryAfter) implements Result {}

    /**
     * No attempt can succeed: the target responded with 410, the address guard rejects the call, or
     * the call exceeds the limits.
     */
    record Fail() implements Result {}
  }

  public boolean succeeded() {
    return result instanceof Result.Success;
  }
}
