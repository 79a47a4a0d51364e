package dev.holdfast.webhook;

import dev.holdfast.internal.Require;
import java.time.Duration;

/**
 * When a target is left alone, and how much it gets at a time.
 *
 * <p>Defaults: after 10 failures in a row a pause of 5 s, doubling up to 5 minutes while the target
 * does not recover; 64 calls at a time; no limit of the rate; 10,000 targets remembered. Immutable
 * and thread-safe.
 *
 * @param failures how many failures in a row open the circuit
 * @param firstPause how long it is open the first time, at most
 * @param maxDelay how long it is open at most, however often it was opened
 * @param probeLimit after how long a call that was let through to try, and of which nothing was
 *     heard, is given up
 * @param concurrent how many calls a target gets at a time
 * @param perSecond how many calls a target gets in a second, on average; 0 for no limit
 * @param targets how many targets are remembered
 */
public record CircuitSettings(
    int failures,
    Duration firstPause,
    Duration maxDelay,
    Duration probeLimit,
    int concurrent,
    double perSecond,
    int targets) {

  public CircuitSettings {
    Require.between(failures, 1, 1_000_000, "the failures");
    Require.between(firstPause, Duration.ofMillis(1), Duration.ofDays(1), "the first pause");
    Require.between(maxDelay, firstPause, Duration.ofDays(1), "the longest pause");
    Require.between(probeLimit, Duration.ofMillis(1), Duration.ofDays(1), "the limit of a probe");
    Require.between(concurrent, 1, 1_000_000, "the concurrent calls");
    double rate = perSecond;
    Require.that(
        rate == 0 || (rate >= 0.001 && rate <= 1_000_000),
        () -> "the calls per second must be 0 or from 0.001 to 1000000, were " + rate);
    Require.between(targets, 1, 10_000_000, "the targets");
  }

  public static CircuitSettings standard() {
    return new CircuitSettings(
        10, Duration.ofSeconds(5), Duration.ofMinutes(5), Duration.ofMinutes(2), 64, 0, 10_000);
  }

  public CircuitSettings failures(int inARow) {
    return new CircuitSettings(
        inARow, firstPause, maxDelay, probeLimit, concurrent, perSecond, targets);
  }

  public CircuitSettings pause(Duration first, Duration longest) {
    return new CircuitSettings(
        failures, first, longest, probeLimit, concurrent, perSecond, targets);
  }

  /** With this longest pause; the first one is not longer. */
  public CircuitSettings maxDelay(Duration longest) {
    return pause(longest.compareTo(firstPause) < 0 ? longest : firstPause, longest);
  }

  public CircuitSettings probeLimit(Duration longest) {
    return new CircuitSettings(
        failures, firstPause, maxDelay, longest, concurrent, perSecond, targets);
  }

  public CircuitSettings concurrent(int most) {
    return new CircuitSettings(
        failures, firstPause, maxDelay, probeLimit, most, perSecond, targets);
  }

  public CircuitSettings perSecond(double most) {
    return new CircuitSettings(
        failures, firstPause, maxDelay, probeLimit, concurrent, most, targets);
  }

  public CircuitSettings targets(int most) {
    return new CircuitSettings(
        failures, firstPause, maxDelay, probeLimit, concurrent, perSecond, most);
  }
}
