package dev.holdfast.race.internal.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What came of a step. What the code reads of the rows is added while it reads, by the actor's
 * thread; others look at it only when the actor waits at its next gate or has ended.
 */
public final class StepResult {
  private static final int MAX_ROWS = 10_000;

  /** What one row has shown to the code: its values as SQL literals, labelled. */
  public record RowRead(List<String> labels, List<String> values) {}

  private final long updated;
  private final long[] batch;
  private final @Nullable Throwable error;
  private final List<RowRead> rows = new ArrayList<>();
  private int rowCount;
  private boolean query;

  private StepResult(long updated, long[] batch, @Nullable Throwable error) {
    this.updated = updated;
    this.batch = batch;
    this.error = error;
  }

  /** Of a statement that changes rows. */
  public static StepResult updated(long rows) {
    return new StepResult(rows, new long[0], null);
  }

  /** Of a batch: how many rows each of its entries has changed. */
  public static StepResult updated(long[] rows) {
    return new StepResult(Arrays.stream(rows).sum(), rows.clone(), null);
  }

  /** Of a query: its rows come while they are read. */
  public static StepResult query() {
    StepResult result = new StepResult(-1, new long[0], null);
    result.query = true;
    return result;
  }

  /** Of a commit, a rollback, a point. */
  public static StepResult done() {
    return new StepResult(-1, new long[0], null);
  }

  public static StepResult failed(Throwable error) {
    return new StepResult(-1, new long[0], error);
  }

  /** The code read one more row. Returns where its values are to be added. */
  public RowRead nextRow() {
    RowRead row = new RowRead(new ArrayList<>(), new ArrayList<>());
    rowCount++;
    if (rows.size() < MAX_ROWS) {
      rows.add(row);
    }
    return row;
  }

  /** How many rows were changed, by a batch in all; -1 if that does not apply. */
  public long updated() {
    return updated;
  }

  /** Likewise, of the entry of a batch that has changed the fewest. */
  public long leastUpdated() {
    return Arrays.stream(batch).min().orElse(updated);
  }

  public @Nullable Throwable error() {
    return error;
  }

  public boolean isQuery() {
    return query;
  }

  /** How many rows the code has looked at. */
  public int rowCount() {
    return rowCount;
  }

  /** The first rows that the code has looked at, with the values that it has got. */
  public List<RowRead> rows() {
    return rows;
  }

  /** All that the code has learned from it, in one text. */
  public String learned() {
    Throwable failure = error;
    if (failure != null) {
      return "! " + failure.getClass().getName() + ": " + failure.getMessage();
    }
    StringBuilder text = new StringBuilder();
    if (updated >= 0) {
      text.append(updated).append(" rows");
    }
    if (batch.length > 1) {
      text.append(' ').append(Arrays.toString(batch));
    }
    if (query) {
      text.append(rowCount).append(" read");
    }
    // also the keys that an insert has made
    rows.forEach(row -> text.append(' ').append(row.values()));
    return text.toString();
  }
}
