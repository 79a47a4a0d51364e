package dev.holdfast.webhook;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one target: its failures in a row, its pause, its calls under way, its rate. All
 * times are of a clock that only goes forward, in nanoseconds. Guarded by the lock of {@link
 * Circuits}.
 *
 * <pre>
 * closed --failures in a row--> open --pause over--> half-open --success--> closed
 *                                 ^                      |
 *                                 +------failure---------+   with twice the pause
 * </pre>
 */
final class Circuit {
  private static final int MAX_EXPONENT = 40;
  private static final long BUSY_PAUSE = Duration.ofMillis(200).toNanos();
  private static final long MAX_SLOT = Duration.ofMinutes(1).toNanos();
  private static final double NANOS = 1e9;

  private final CircuitSettings settings;
  private int failures;
  private int openings;
  private long openUntil;
  private boolean probing;
  private long probeUntil;
  private int underWay;
  private double tokens;
  private long filledAt;
  private long promised;

  Circuit(CircuitSettings settings, long now) {
    this.settings = settings;
    this.tokens = burst();
    this.filledAt = now;
    this.promised = now;
  }

  boolean isOpen() {
    return openings > 0;
  }

  boolean isIdle() {
    return underWay == 0;
  }

  /** Why the call must wait, or nothing if it may go; then it counts as under way. */
  Admission.@Nullable Wait admit(long now, double random) {
    if (isOpen()) {
      if (now - openUntil < 0) {
        // past its end, each at another moment
        return wait(openUntil - now + (long) (random * BUSY_PAUSE), "the target is failing");
      }
      if (probing && now - probeUntil < 0) {
        return wait(jittered(firstPause(), random), "the target is being tried");
      }
    }
    if (underWay >= settings.concurrent()) {
      return wait(jittered(BUSY_PAUSE, random), "the target has its calls at a time");
    }
    long slot = slot(now);
    if (slot > 0) {
      return wait(slot, "the target has its calls per second");
    }
    underWay++;
    if (isOpen()) {
      probing = true;
      probeUntil = now + settings.probeLimit().toNanos();
    }
    return null;
  }

  /** Whether a call that was just admitted is the one that tries an open circuit. */
  boolean isProbing() {
    return probing;
  }

  void ended(boolean probe, @Nullable Boolean healthy, long now, double random) {
    underWay = Math.max(0, underWay - 1);
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
    // late failures of calls from before the opening say nothing new
    if (isOpen() ? probe : failures >= settings.failures()) {
      openings++;
      openUntil = now + jittered(pause(), random);
    }
  }

  private long pause() {
    double pause = firstPause() * Math.pow(2, Math.min(MAX_EXPONENT, openings - 1));
    return (long) Math.min(pause, (double) settings.maxDelay().toNanos());
  }

  private long firstPause() {
    return settings.firstPause().toNanos();
  }

  /** From half of the pause to all of it. */
  private static long jittered(long pause, double random) {
    return (long) (pause * (0.5 + random / 2));
  }

  /**
   * How long until there is room within the rate, 0 if there is now. Each that has to wait is given
   * a later time than the one before it.
   */
  private long slot(long now) {
    if (settings.perSecond() == 0) {
      return 0;
    }
    double period = NANOS / settings.perSecond();
    tokens = Math.min(burst(), tokens + (now - filledAt) / period);
    filledAt = now;
    if (tokens >= 1) {
      tokens--;
      return 0;
    }
    long next = now + (long) Math.ceil((1 - tokens) * period);
    promised = promised - next < 0 ? next : promised + (long) period;
    if (promised - now > MAX_SLOT) {
      promised = now + Math.max(next - now, MAX_SLOT);
    }
    return promised - now;
  }

  private double burst() {
    return Math.max(1, settings.perSecond());
  }

  private static Admission.Wait wait(long nanos, String reason) {
    return new Admission.Wait(Duration.ofNanos(Math.max(1, nanos)), reason);
  }
}
