package dev.holdfast.transaction;

import java.time.Duration;
import java.util.function.DoubleSupplier;

/**
 * Exponential backoff with full jitter: anything from nothing to a bound that doubles with every
 * attempt, up to a cap. Spreading over the whole range is what takes a herd apart.
 */
public record Backoff(Duration base, Duration cap) {
  static final Backoff DEFAULT = new Backoff(Duration.ofMillis(10), Duration.ofSeconds(1));

  /** Beyond this many doublings every base has passed every cap. */
  private static final int MAX_DOUBLINGS = 40;

  public Duration afterAttempt(int attempt, DoubleSupplier random) {
    double bound = base.toNanos() * Math.pow(2, Math.min(attempt - 1, MAX_DOUBLINGS));
    return Duration.ofNanos(
        (long) (random.getAsDouble() * Math.min(bound, (double) cap.toNanos())));
  }
}
