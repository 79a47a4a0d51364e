package dev.holdfast.webhook;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The circuit and the rate limit of one target. All times are of a monotonic clock, in nanoseconds.
 * Guarded by the lock of {@link TargetGate}.
 *
 * <pre>
 * closed --failures in a row--> open --open time ends--> half-open --success--> closed
 *                                 ^                          |
 *                                 +--------failure-----------+   with twice the open time
 * </pre>
 */
final class CircuitBreaker {
  private static final int MAX_EXPONENT = 40;
  private static final long MAX_JITTER = Duration.ofMillis(200).toNanos();
  private static final long MAX_RATE_WAIT = Duration.ofMinutes(1).toNanos();
  private static final double NANOS = 1e9;
  private static final int REDIRECT = 300;
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int SERVER_ERROR = 500;

  private final TargetGateOptions options;
  private int failures;
  private int openings;
  private long openUntil;
  private boolean probing;
  private long probeUntil;
  private double tokens;
  private long filledAt;

  /** When the last deferred call may come again. */
  private long nextAt;

  CircuitBreaker(TargetGateOptions options, long now) {
    this.options = options;
    this.tokens = burst();
    this.filledAt = now;
    this.nextAt = now;
  }

  /**
   * Whether the target is healthy; null if the target was not called. A 4xx response rejects one
   * call and says nothing about other calls to the target.
   */
  static @Nullable Boolean isHealthy(Attempt attempt) {
    if (attempt.error().isPresent() && attempt.status().isPresent()) {
      int status = attempt.status().getAsInt();
      boolean complete = status >= REDIRECT;
      return complete && status < SERVER_ERROR && status != TOO_MANY_REQUESTS;
    }
    if (attempt.status().isEmpty() && attempt.result() instanceof Attempt.Result.Fail) {
      return null;
    }
    return attempt.succeeded();
  }

  boolean isOpen() {
    return openings > 0;
  }

  /** How long the call must wait; 0 if it may go now. */
  long admit(long now, double random) {
    if (isOpen()) {
      if (now - openUntil < 0) {
        // each call comes again at another moment
        return Math.max(1, openUntil - now + (long) (random * MAX_JITTER));
      }
      if (probing && now - probeUntil < 0) {
        return Math.max(1, jittered(options.initialOpenTime().toNanos(), random));
      }
    }
    long wait = rateWait(now);
    if (wait == 0 && isOpen()) {
      probing = true;
      probeUntil = now + options.probeTimeout().toNanos();
    }
    return wait;
  }

  /** Whether a call that was just admitted is the probe of an open circuit. */
  boolean isProbing() {
    return probing;
  }

  /**
   * Updates the state when a call has ended.
   *
   * @param healthy null if the target was not called
   */
  void release(boolean probe, @Nullable Boolean healthy, long now, double random) {
    if (probe) {
      probing = false;
    }
    if (healthy == null) {
      return;
    }
    if (healthy) {
      failures = 0;
      openings = 0;
      probing = false;
      return;
    }
    failures++;
    // late failures of calls from before the opening do not count
    if (isOpen() ? probe : failures >= options.failureThreshold()) {
      openings++;
      openUntil = now + jittered(openTime(), random);
    }
  }

  private long openTime() {
    double time =
        options.initialOpenTime().toNanos() * Math.pow(2, Math.min(MAX_EXPONENT, openings - 1));
    return (long) Math.min(time, (double) options.maxOpenTime().toNanos());
  }

  /** From half of the time to all of it. */
  private static long jittered(long time, double random) {
    return (long) (time * (0.5 + random / 2));
  }

  /**
   * How long until the rate allows another call, 0 if it does now. Each call that has to wait gets
   * a later time than the one before.
   */
  private long rateWait(long now) {
    if (options.maxRate() == 0) {
      return 0;
    }
    double period = NANOS / options.maxRate();
    tokens = Math.min(burst(), tokens + (now - filledAt) / period);
    filledAt = now;
    if (tokens >= 1) {
      tokens--;
      return 0;
    }
    long next = now + (long) Math.ceil((1 - tokens) * period);
    nextAt = nextAt - next < 0 ? next : nextAt + (long) period;
    if (nextAt - now > MAX_RATE_WAIT) {
      nextAt = now + Math.max(next - now, MAX_RATE_WAIT);
    }
    return Math.max(1, nextAt - now);
  }

  private double burst() {
    return Math.max(1, options.maxRate());
  }
}
