package dev.holdfast.event;

import dev.holdfast.internal.Require;
import java.time.Duration;
import java.time.Instant;

/**
 * What all workers have done from a time on, for a minute or another step. Immutable.
 *
 * @param at where it begins
 * @param retried attempts that did not succeed and are to be repeated
 * @param lagCount of how many attempts it is known how late they were
 * @param lagSum how late they were claimed after they were due, all together
 * @param lagMax how late the latest of them was
 */
public record StatsPoint(
    Instant at,
    long completed,
    long failed,
    long cancelled,
    long retried,
    long lagCount,
    Duration lagSum,
    Duration lagMax) {

  /** One in which nothing was done. */
  public static StatsPoint none(Instant at) {
    return new StatsPoint(at, 0, 0, 0, 0, 0, Duration.ZERO, Duration.ZERO);
  }

  /** How late the attempts were on average; zero where there were none. */
  public Duration lagAvg() {
    return lagCount == 0 ? Duration.ZERO : lagSum.dividedBy(lagCount);
  }

  /** Both together, from where this one begins. */
  public StatsPoint plus(StatsPoint other) {
    Require.notNull(other, "other");
    return new StatsPoint(
        at,
        completed + other.completed,
        failed + other.failed,
        cancelled + other.cancelled,
        retried + other.retried,
        lagCount + other.lagCount,
        lagSum.plus(other.lagSum),
        lagMax.compareTo(other.lagMax) >= 0 ? lagMax : other.lagMax);
  }
}
