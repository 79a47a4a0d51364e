package dev.holdfast.race.internal.report;

import org.jspecify.annotations.Nullable;

/**
 * A conflict: an actor worked with data that another changed at the same time.
 *
 * @param pattern how they interfered
 * @param read what one of them read
 * @param change what the other changed of it, committed after that reading
 * @param act what the reader did with it; for an inconsistent read, the second reading
 * @param otherRead what the other had read before, if that matters
 */
record Conflict(
    Pattern pattern,
    PerformedStep read,
    PerformedStep change,
    PerformedStep act,
    @Nullable PerformedStep otherRead) {

  /** How two actors interfere, the most specific pattern first. */
  enum Pattern {
    LOST_UPDATE("LOST UPDATE"),
    /** An update that waited, and kept what its subselect had read before. */
    STALE_SUBSELECT("STALE SUBSELECT"),
    DOUBLE_SPEND("DOUBLE SPEND"),
    WRITE_SKEW("WRITE SKEW"),
    INCONSISTENT_READ("INCONSISTENT READ"),
    DIRTY_DECISION("DIRTY DECISION");

    private final String title;

    Pattern(String title) {
      this.title = title;
    }

    String title() {
      return title;
    }
  }

  /** The fewer entries it spans, and the more the two touch the same, the better it explains. */
  int distance() {
    int span = Math.abs(act.number() - read.number()) + Math.abs(change.number() - read.number());
    return span + (act.changesTheTableOf(change) ? 0 : 100);
  }

  /** Whether what was read and what was done with it are in one transaction. */
  boolean inOneTransaction() {
    return read.sameTransaction(act);
  }
}
