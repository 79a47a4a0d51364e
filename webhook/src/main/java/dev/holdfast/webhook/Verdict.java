package dev.holdfast.webhook;

import java.time.Duration;
import java.util.Optional;

/** What an attempt means for the delivery. */
public sealed interface Verdict {

  /** The target has answered 2xx, completely and in time. */
  record Success() implements Verdict {}

  /**
   * It failed, and may succeed later.
   *
   * @param after how long the target has asked to be left alone, with 429 or 503, capped
   */
  record Retry(Optional<Duration> after) implements Verdict {}

  /**
   * It will never succeed: the target has answered 410, the address guard refuses it, or the call
   * is outside the limits.
   */
  record End() implements Verdict {}
}
