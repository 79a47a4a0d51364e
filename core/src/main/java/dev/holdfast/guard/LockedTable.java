package dev.holdfast.guard;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.transaction.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What became of the rows of one table that were to be locked.
 *
 * @param locked by the text of their own keys, in the order of the database
 * @param ownKeys the text of a row's own key, by the text that it was asked for with, where those
 *     differ
 */
record LockedTable(
    TableLock asked,
    Map<String, Row> locked,
    Map<String, String> ownKeys,
    List<LockedRows.Key> missing,
    List<LockedRows.Key> skipped) {

  /**
   * @param others the keys that are not among those of the rows
   * @param existing which of the others name a row, and its own key
   */
  static LockedTable of(
      TableLock asked,
      Map<String, Row> locked,
      RowKeys others,
      Map<String, String> existing,
      boolean skipping) {
    List<LockedRows.Key> missing = new ArrayList<>();
    List<LockedRows.Key> skipped = new ArrayList<>();
    others
        .byText()
        .forEach(
            (text, value) -> {
              String own = existing.get(text);
              if (own == null || !locked.containsKey(own)) {
                // one that exists and was not skipped has appeared since
                (own != null && skipping ? skipped : missing)
                    .add(new LockedRows.Key(asked.table(), asked.column(), value));
              }
            });
    return new LockedTable(asked, locked, existing, List.copyOf(missing), List.copyOf(skipped));
  }

  @Nullable Row find(Object key) {
    String text = RowKeys.text(key);
    Row row = locked.get(text);
    return row == null ? locked.get(ownKeys.getOrDefault(text, text)) : row;
  }

  /** Why there is no locked row of that key. */
  RuntimeException whyNot(Object key) {
    List<LockedRows.Key> row = List.of(new LockedRows.Key(asked.table(), asked.column(), key));
    if (has(missing, key)) {
      return new RowsNotFoundException(row, List.of());
    }
    return has(skipped, key)
        ? new RowsNotFoundException(List.of(), row)
        : new InvalidArgumentException(
            "a row must have been asked for before it is taken, " + row.get(0) + " was not");
  }

  private static boolean has(List<LockedRows.Key> keys, Object key) {
    String text = RowKeys.text(key);
    return keys.stream().anyMatch(each -> RowKeys.text(each.value()).equals(text));
  }
}
