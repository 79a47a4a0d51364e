package dev.holdfast.event;

import dev.holdfast.internal.Require;
import dev.holdfast.internal.event.FailureText;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How often and when an event is retried whose handler has thrown, or asked for a retry.
 *
 * <p>By default ten attempts, with a delay from 0 up to 1 s after the first, doubling up to 10
 * minutes, at random in between, so that events that failed together are not retried together.
 * Immutable and thread-safe.
 */
public final class RetryPolicy {
  private static final int MAX_EXPONENT = 40;

  private final Duration base;
  private final Duration cap;
  private final int attempts;

  private RetryPolicy(Duration base, Duration cap, int attempts) {
    this.base = base;
    this.cap = cap;
    this.attempts = attempts;
  }

  public static RetryPolicy standard() {
    return new RetryPolicy(Duration.ofSeconds(1), Duration.ofMinutes(10), 10);
  }

  /** Waiting up to {@code base} after the first attempt, up to twice that after the second … */
  public RetryPolicy backoff(Duration base, Duration cap) {
    Require.between(base, Duration.ZERO, Duration.ofDays(365), "base");
    Require.between(cap, base, Duration.ofDays(365), "cap");
    return new RetryPolicy(base, cap, attempts);
  }

  /**
   * How many attempts there are in all; the event fails after the last. An attempt whose instance
   * died counts, too, also if it died before it called the handler. So 1 means that the handler is
   * called at most once, whatever crashes, and that a crash may leave it uncalled.
   */
  public RetryPolicy attempts(int most) {
    return new RetryPolicy(base, cap, Require.between(most, 1, 1_000_000, "attempts"));
  }

  /** How many attempts there are in all. */
  public int maxAttempts() {
    return attempts;
  }

  /**
   * The retry after a failure, with a random delay.
   *
   * @param attempt the number of the attempt that failed, from 1 on
   */
  public Outcome outcomeOf(Throwable failure, int attempt) {
    return Outcome.retryAfter(
        delay(attempt, ThreadLocalRandom.current().nextDouble()), FailureText.of(failure));
  }

  Duration delay(int attempt, double random) {
    double longest =
        Math.min(
            (double) cap.toMillis(),
            base.toMillis() * Math.pow(2, Math.min(MAX_EXPONENT, attempt - 1)));
    return Duration.ofMillis((long) (longest * random));
  }
}
