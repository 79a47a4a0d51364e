package dev.holdfast.guard;

import dev.holdfast.internal.Require;
import dev.holdfast.transaction.Row;
import dev.holdfast.transaction.Transaction;
import java.lang.StackWalker.StackFrame;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The rows of one table that a transaction holds. For one thread. */
final class HeldRows {
  private final TableLock table;
  private final Map<String, Object> keys = new HashMap<>();
  private final Set<String> strong = new HashSet<>();
  private @Nullable Object last;
  private @Nullable StackFrame call;

  HeldRows(TableLock table) {
    this.table = table;
  }

  TableLock table() {
    return table;
  }

  /** The key of the last row, in the order of the database. */
  Object last() {
    return Require.notNull(last, "the last row");
  }

  /** Who has locked the last row. */
  StackFrame call() {
    return Require.notNull(call, "the call");
  }

  /** Adds rows by the text of their keys, in the order of the database. */
  void add(Transaction tx, Map<String, Row> rows, LockMode mode, StackFrame by) {
    boolean strongly = mode.isStronger(tx.dialect());
    Object newest = null;
    for (Map.Entry<String, Row> row : rows.entrySet()) {
      Object key = table.keyOf(row.getValue());
      String text = row.getKey();
      newest = keys.put(text, key) == null ? key : newest;
      if (strongly) {
        strong.add(text);
      }
    }
    // whoever waits comes after all that is held, which was checked before
    if (newest != null
        && (last == null || mode.waits() || KeyComparator.isAfter(tx, table, newest, last))) {
      last = newest;
      call = by;
    }
  }

  boolean covers(String text, boolean strongly) {
    return (strongly ? strong : keys.keySet()).contains(text);
  }

  /** As {@link #covers(String, boolean)}, in the eyes of the database. */
  boolean covers(Transaction tx, Object key, boolean strongly) {
    List<Object> candidates =
        keys.entrySet().stream()
            .filter(held -> covers(held.getKey(), strongly))
            .map(Map.Entry::getValue)
            .toList();
    return KeyComparator.isOneOf(tx, table, key, candidates);
  }
}
