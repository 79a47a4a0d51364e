package dev.holdfast.guard;

import dev.holdfast.transaction.SqlError;
import java.util.List;

/**
 * What one sweep over stuck rows has done. Every number is of rows that this sweep itself has
 * changed and committed, unless it says otherwise.
 *
 * @param recovered rows that went back to work
 * @param failed rows that had no attempt left and went to the failed status
 * @param unconfirmed at most this many more rows were changed by a commit whose answer was lost; if
 *     it did not happen, a later sweep takes them
 * @param undated rows in the stuck status whose time is null: nothing tells whether they are stuck,
 *     and no sweep touches them
 * @param poisoned rows that the database refused to change, in the order they were met
 * @param complete false where the sweep ended before it had seen every stuck row: it was asked to
 *     stop, or met its bound
 */
public record SweepResult(
    int recovered,
    int failed,
    int unconfirmed,
    int undated,
    List<Poisoned> poisoned,
    boolean complete) {
  public SweepResult {
    poisoned = List.copyOf(poisoned);
  }

  /**
   * A row that the database refused to change; the others of its batch were changed all the same.
   *
   * @param key the value of its key column
   * @param error what the refusal means
   * @param message what the database said
   */
  public record Poisoned(Object key, SqlError error, String message) {}
}
