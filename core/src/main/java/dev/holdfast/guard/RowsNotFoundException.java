package dev.holdfast.guard;

import dev.holdfast.HoldfastException;
import java.util.ArrayList;
import java.util.List;

/**
 * Rows that had to be locked and are not: because they do not exist, or, where locked rows are
 * skipped, because somebody else holds them. Not retryable.
 */
public final class RowsNotFoundException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  /** Enough to find the mistake; ten thousand would hide it. */
  private static final int MAX_NAMED = 20;

  private final int count;

  RowsNotFoundException(List<LockedRows.Key> missing, List<LockedRows.Key> skipped) {
    super("missing-rows", message(missing, skipped), null);
    this.count = missing.size() + skipped.size();
  }

  /** How many rows are not locked. */
  public int count() {
    return count;
  }

  private static String message(List<LockedRows.Key> missing, List<LockedRows.Key> skipped) {
    List<String> reasons = new ArrayList<>();
    if (!missing.isEmpty()) {
      reasons.add("these do not exist: " + names(missing));
    }
    if (!skipped.isEmpty()) {
      reasons.add("these are locked by others: " + names(skipped));
    }
    return "all rows must be locked, " + String.join("; ", reasons);
  }

  private static String names(List<LockedRows.Key> rows) {
    List<LockedRows.Key> named = rows.subList(0, Math.min(rows.size(), MAX_NAMED));
    return named
        + (named.size() == rows.size() ? "" : " and " + (rows.size() - MAX_NAMED) + " more");
  }
}
