package dev.holdfast.guard;

import dev.holdfast.internal.Require;
import dev.holdfast.transaction.GuardKind;
import java.time.Duration;
import java.util.Locale;

/**
 * How often a named guard met somebody else, over the last minutes: a snapshot of {@link
 * ConflictRates}.
 *
 * @param kind what sort of guard it is
 * @param guard its name
 * @param attempts how often it was tried
 * @param conflicts how many of these met somebody else
 * @param retries how often the work around it was begun again
 * @param window the time that these numbers are of
 */
public record ConflictRate(
    GuardKind kind, String guard, long attempts, long conflicts, long retries, Duration window) {
  /** A rate of fewer attempts says nothing. */
  static final long MIN_ATTEMPTS = 50;

  /** What a rate means for the guard. */
  public enum Verdict {
    /** Fewer than 50 attempts: nothing can be said. */
    TOO_FEW,
    /** Below 1 %: the guard is the right one. */
    FINE,
    /** From 1 % to 5 %: it will get worse with more load. */
    WATCH,
    /** Above 5 %: another guard would do better. */
    CHANGE
  }

  public ConflictRate {
    Require.notNull(kind, "kind");
    Require.notNull(guard, "guard");
    Require.notNull(window, "window");
    Require.that(
        conflicts >= 0 && conflicts <= attempts && retries >= 0,
        () ->
            "conflicts must be from 0 to attempts, and retries not negative; were %d of %d, and %d"
                .formatted(conflicts, attempts, retries));
  }

  /** Conflicts per attempt, from 0 to 1; 0 without attempts. */
  public double rate() {
    return attempts == 0 ? 0 : (double) conflicts / attempts;
  }

  public Verdict verdict() {
    if (attempts < MIN_ATTEMPTS) {
      return Verdict.TOO_FEW;
    }
    // in whole numbers, so that 1 % is 1 %
    if (conflicts * 100 < attempts) {
      return Verdict.FINE;
    }
    return conflicts * 100 <= attempts * 5 ? Verdict.WATCH : Verdict.CHANGE;
  }

  /** What to do about it, and why. */
  public String advice() {
    return switch (verdict()) {
      case TOO_FEW ->
          "Wait for at least " + MIN_ATTEMPTS + " attempts: so few say nothing about the rate.";
      case FINE ->
          kind == GuardKind.OPTIMISTIC_UPDATE
              ? "Leave it: conflicts are rare, and finding them at the write costs no lock."
              : "Leave it: conflicts are rare.";
      case WATCH ->
          kind == GuardKind.OPTIMISTIC_UPDATE || kind == GuardKind.RETRIED_WORK
              ? "Watch it: each conflict is work done twice, and with more load the rate grows. Keep"
                  + " what happens between reading and writing short."
              : "Watch it: with more load the rate grows. Keep transactions short.";
      case CHANGE -> ConflictAdvice.of(kind);
    };
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%s: %.2f %% of %d attempts in %s, %s",
        guard,
        rate() * 100,
        attempts,
        window,
        verdict());
  }
}
