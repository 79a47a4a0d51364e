package dev.holdfast.web.webhook;

import dev.holdfast.web.webhook.WebhookTask.Retry;
import java.time.Duration;
import java.util.Optional;

/** When a failed call is made again. */
final class Retries {
  private static final double MILLIS_OF_A_YEAR = 365 * 24 * 3_600_000.0;

  private Retries() {}

  static boolean isLast(Retry retry, int attempt) {
    return attempt >= retry.maxAttempts();
  }

  /**
   * How long to wait after this attempt, the first being 1: anything up to the backoff, so that
   * those who failed together do not return together, but not less than the target has asked for.
   *
   * @param random from 0 to 1
   */
  static Duration after(Retry retry, int attempt, Optional<Duration> asked, double random) {
    double backoff =
        (double) retry.initialDelayMillis()
            * Math.pow(Math.max(1, retry.multiplier()), attempt - 1);
    double most = Math.min(Math.min(backoff, (double) retry.maxDelayMillis()), MILLIS_OF_A_YEAR);
    Duration jittered = Duration.ofMillis((long) (Math.max(0, most) * random));
    return asked.filter(least -> least.compareTo(jittered) > 0).orElse(jittered);
  }
}
