package dev.holdfast.guard;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Everything that a sweep over stuck rows was told, complete and checked. */
record SweepPlan(
    String name,
    String table,
    String key,
    ColumnValues only,
    String status,
    Object stuck,
    Object recovered,
    Since since,
    String version,
    @Nullable Cap cap,
    @Nullable Note note,
    List<String> cleared,
    int batch) {

  /** The time that tells a stuck row: older than {@code age}, or past where there is no age. */
  record Since(String column, @Nullable Duration age) {}

  /** How many attempts a row has, where they are counted, and where a row goes that has none. */
  record Cap(String column, int most, Object failed) {}

  /** What is written into each row that is changed. */
  record Note(String column, String text) {}

  RowReference row(Object keyValue) {
    return RowReference.table(table).where(key, keyValue);
  }
}
