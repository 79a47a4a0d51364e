package dev.holdfast.guard;

import dev.holdfast.internal.Require;
import java.time.Duration;
import java.util.Locale;

/**
 * How often a named guard met somebody else, over the last minutes: a snapshot of {@link
 * ConflictRates}.
 *
 * @param guard its name
 * @param attempts how often it was tried
 * @param conflicts how many of these met somebody else
 * @param retries how often the work around it was begun again
 * @param window the time that these numbers are of
 */
public record ConflictRate(
    String guard, long attempts, long conflicts, long retries, Duration window) {
  /** A rate of fewer attempts says nothing. */
  static final long FEWEST_ATTEMPTS = 50;

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
    if (attempts < FEWEST_ATTEMPTS) {
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
          "Wait for at least " + FEWEST_ATTEMPTS + " attempts: so few say nothing about the rate.";
      case FINE -> "Leave it: conflicts are rare, and finding them at the write costs no lock.";
      case WATCH ->
          "Watch it: each conflict is work done twice, and with more load the rate grows. Keep what"
              + " happens between reading and writing short.";
      case CHANGE -> isUpdate() ? CHANGE_UPDATE : CHANGE_OTHER;
    };
  }

  private boolean isUpdate() {
    return guard.toLowerCase(Locale.ROOT).startsWith("update ");
  }

  private static final String CHANGE_UPDATE =
      "Do not read first and hope: too many look at the same row at once, and all but one of them"
          + " work in vain. If the change is arithmetic or depends on the row alone, make it one"
          + " conditional statement (Conditional): nothing is read, so nothing is stale. If it needs"
          + " what it reads, lock the row before reading (RowLocks): waiting costs less than doing"
          + " the work again.";

  private static final String CHANGE_OTHER =
      "Let fewer meet: lock all rows of the transaction first and in one order (RowLocks), so that"
          + " others wait instead of failing; keep the transaction short; give what everybody writes"
          + " several rows that are added up (Rollup).";

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
