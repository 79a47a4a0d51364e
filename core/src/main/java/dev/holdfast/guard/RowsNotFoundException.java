package dev.holdfast.guard;

import java.util.ArrayList;
import java.util.List;

/**
 * Rows that must be locked do not exist, or were skipped because another transaction holds them.
 * Not retryable.
 */
public final class RowsNotFoundException extends GuardException {
  private static final long serialVersionUID = 1L;

  private static final int MAX_NAMED = 20;

  private final int count;

  RowsNotFoundException(List<LockedRows.Key> missing, List<LockedRows.Key> skipped) {
    super("guard-rows-not-found", message(missing, skipped), null);
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
      reasons.add("these are locked by other transactions: " + names(skipped));
    }
    return "Cannot lock all rows: " + String.join("; ", reasons);
  }

  private static String names(List<LockedRows.Key> rows) {
    List<LockedRows.Key> named = rows.subList(0, Math.min(rows.size(), MAX_NAMED));
    return named
        + (named.size() == rows.size() ? "" : " and " + (rows.size() - MAX_NAMED) + " more");
  }
}
