package dev.holdfast.webhook;

import dev.holdfast.internal.Require;
import java.time.Duration;

/**
 * Limits per target, and when calls to a failing target are deferred.
 *
 * <p><b>Defaults:</b> the circuit opens after 10 failures in a row, for 5 s at first and up to 5
 * minutes while the target does not recover; 64 calls in flight; no rate limit; 10,000 targets are
 * remembered. Immutable and thread-safe.
 *
 * @param failureThreshold number of failures in a row that opens the circuit
 * @param initialOpenTime how long the circuit is open the first time, at most
 * @param maxOpenTime how long the circuit is open at most
 * @param probeTimeout after this time without a result, another call probes an open circuit
 * @param maxConcurrency maximum number of calls in flight per target
 * @param maxRate maximum number of calls per second and target, on average; 0 for no limit
 * @param maxTargets number of targets that are remembered, in addition to those with calls in
 *     flight
 */
public record TargetGateOptions(
    int failureThreshold,
    Duration initialOpenTime,
    Duration maxOpenTime,
    Duration probeTimeout,
    int maxConcurrency,
    double maxRate,
    int maxTargets) {

  public TargetGateOptions {
    Require.between(failureThreshold, 1, 1_000_000, "failureThreshold");
    Require.between(initialOpenTime, Duration.ofMillis(1), Duration.ofDays(1), "initialOpenTime");
    Require.between(maxOpenTime, initialOpenTime, Duration.ofDays(1), "maxOpenTime");
    Require.between(probeTimeout, Duration.ofMillis(1), Duration.ofDays(1), "probeTimeout");
    Require.between(maxConcurrency, 1, 1_000_000, "maxConcurrency");
    double rate = maxRate;
    Require.that(
        rate == 0 || (rate >= 0.001 && rate <= 1_000_000),
        () -> "maxRate must be 0 or from 0.001 to 1000000, was " + rate);
    Require.between(maxTargets, 1, 10_000_000, "maxTargets");
  }

  public static TargetGateOptions ofDefaults() {
    return new TargetGateOptions(
        10, Duration.ofSeconds(5), Duration.ofMinutes(5), Duration.ofMinutes(2), 64, 0, 10_000);
  }

  public TargetGateOptions failureThreshold(int failures) {
    return new TargetGateOptions(
        failures, initialOpenTime, maxOpenTime, probeTimeout, maxConcurrency, maxRate, maxTargets);
  }

  public TargetGateOptions openTime(Duration initial, Duration max) {
    return new TargetGateOptions(
        failureThreshold, initial, max, probeTimeout, maxConcurrency, maxRate, maxTargets);
  }

  /** Sets the maximum open time, and lowers the initial one if it is longer. */
  public TargetGateOptions maxOpenTime(Duration max) {
    return openTime(max.compareTo(initialOpenTime) < 0 ? max : initialOpenTime, max);
  }

  public TargetGateOptions probeTimeout(Duration timeout) {
    return new TargetGateOptions(
        failureThreshold,
        initialOpenTime,
        maxOpenTime,
        timeout,
        maxConcurrency,
        maxRate,
        maxTargets);
  }

  public TargetGateOptions maxConcurrency(int max) {
    return new TargetGateOptions(
        failureThreshold, initialOpenTime, maxOpenTime, probeTimeout, max, maxRate, maxTargets);
  }

  public TargetGateOptions maxRate(double callsPerSecond) {
    return new TargetGateOptions(
        failureThreshold,
        initialOpenTime,
        maxOpenTime,
        probeTimeout,
        maxConcurrency,
        callsPerSecond,
        maxTargets);
  }

  public TargetGateOptions maxTargets(int max) {
    return new TargetGateOptions(
        failureThreshold, initialOpenTime, maxOpenTime, probeTimeout, maxConcurrency, maxRate, max);
  }
}
