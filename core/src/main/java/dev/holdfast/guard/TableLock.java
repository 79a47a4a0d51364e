package dev.holdfast.guard;

import dev.holdfast.HoldfastException;
import dev.holdfast.internal.Require;
import dev.holdfast.internal.sql.LockWait;
import dev.holdfast.internal.sql.SqlBuilder;
import dev.holdfast.transaction.Row;
import dev.holdfast.transaction.SqlError;
import dev.holdfast.transaction.Transaction;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The rows to lock in one table, by the values of one column. Immutable.
 *
 * @param label of the column in the rows: its name without quotes
 */
record TableLock(String table, String column, String label, RowKeys keys) {
  static TableLock of(String table, String column, Collection<?> keys) {
    Require.notBlank(table, "the name of a table");
    ColumnValues.requireName(column, "the name of the key of '" + table + "'");
    return new TableLock(table, column, ColumnValues.label(column), RowKeys.of(table, keys));
  }

  /** These rows and further ones of the same table. */
  TableLock and(TableLock further) {
    Require.that(
        isBySameColumn(further),
        () ->
            "rows of '%s' must be locked by one column, were by '%s' and '%s'"
                .formatted(table, column, further.column));
    return new TableLock(table, column, label, keys.and(table, further.keys));
  }

  boolean isBySameColumn(TableLock other) {
    return column.equalsIgnoreCase(other.column);
  }

  /** Refuses, before anything is locked, a table whose rows cannot be locked in order. */
  void requireIndex(Transaction tx) {
    if (!keys.isEmpty()) {
      new SqlBuilder(tx.dialect()).searchedBy(tx, table, column);
    }
  }

  /** Locks the rows, in the order that the database has for their keys, in one statement. */
  LockedTable lock(Transaction tx, LockMode mode) {
    if (keys.isEmpty()) {
      return new LockedTable(this, Map.of(), Map.of(), List.of(), List.of());
    }
    Map<String, Row> locked = byKey(tx, select(tx, mode));
    if (locked.keySet().containsAll(keys.byText().keySet())) {
      return new LockedTable(this, locked, Map.of(), List.of(), List.of());
    }
    RowKeys others = keys.only((text, key) -> !locked.containsKey(text));
    boolean skipping = mode.ifLocked() == LockWait.SKIP_LOCKED;
    // equal numbers are equal keys; about anything else the database may have another opinion
    boolean askAgain = skipping || !keys.areNumbers() || !isNumbered(locked.values());
    return LockedTable.of(
        this, locked, others, askAgain ? existing(tx, others, skipping) : Map.of(), skipping);
  }

  private List<Row> select(Transaction tx, LockMode mode) {
    SqlBuilder sql = new SqlBuilder(tx.dialect()).add("SELECT ");
    (mode.keysOnly() ? sql.name(column) : sql.add("*")).add(" FROM ").name(table);
    try {
      sql.trySearchedBy(tx, table, column);
      writeWhere(sql, keys, tx.dialect().maxInList());
      sql.add(" ORDER BY ").name(column).add(mode.suffix(tx.dialect()));
      return sql.tryRows(tx);
    } catch (SQLException e) {
      throw SqlBuilder.failed(tx, "locking rows of '" + table + "'" + about(e), e);
    }
  }

  private String about(SQLException failure) {
    return switch (SqlError.of(failure)) {
      case LOCK_TIMEOUT -> " with '" + column + "' in " + keys;
      case OBJECT_NOT_FOUND ->
          " by the column '" + column + "' (name another with RowLocks.of(table, column, keys))";
      default -> "";
    };
  }

  /** The key of a row, as the database has it. */
  Object keyOf(Row row) {
    return Objects.requireNonNull(row.get(label));
  }

  /** A row of this table by name, for messages. */
  String rowName(Object key) {
    return new LockedRows.Key(table, column, key).toString();
  }

  private boolean isNumbered(Collection<Row> rows) {
    return rows.stream().allMatch(row -> keyOf(row) instanceof Number);
  }

  private Map<String, Row> byKey(Transaction tx, List<Row> rows) {
    Map<String, Row> byKey = new LinkedHashMap<>();
    for (Row row : rows) {
      if (byKey.put(RowKeys.text(keyOf(row)), row) != null) {
        HoldfastException failure = GuardException.ambiguousRow(rowName(keyOf(row)), 2);
        tx.setRollbackOnly(failure);
        throw failure;
      }
    }
    return byKey;
  }

  /**
   * Which of these keys name a row, with the key that the row itself has: another text where a
   * collation ignores case, or a type pads.
   */
  private Map<String, String> existing(Transaction tx, RowKeys asked, boolean skipping) {
    Map<String, String> existing = new HashMap<>();
    List<String> texts = read(tx, asked, skipping);
    texts.forEach(text -> existing.put(text, text));
    if (!texts.isEmpty()) {
      RowKeys odd = asked.only((text, key) -> !existing.containsKey(text));
      for (String text : odd.byText().keySet()) {
        read(tx, odd.only((other, key) -> other.equals(text)), skipping)
            .forEach(own -> existing.put(text, own));
      }
    }
    return existing;
  }

  private List<String> read(Transaction tx, RowKeys asked, boolean skipping) {
    SqlBuilder sql =
        new SqlBuilder(tx.dialect()).add("SELECT ").name(column).add(" FROM ").name(table);
    writeWhere(sql, asked, tx.dialect().maxInList());
    // reading the latest may wait for a lock, and whoever skips them must not wait
    sql.add(skipping ? "" : tx.dialect().currentRead(tx.isolation()));
    return sql.rows(tx, () -> "reading rows of '" + table + "'").stream()
        .map(row -> RowKeys.text(keyOf(row)))
        .toList();
  }

  private void writeWhere(SqlBuilder sql, RowKeys asked, int maxList) {
    List<Object> values = asked.values();
    for (int from = 0; from < values.size(); from += maxList) {
      int to = (int) Math.min(values.size(), (long) from + maxList);
      sql.add(from == 0 ? " WHERE " : " OR ").name(column).add(" IN (");
      sql.values(values.subList(from, to)).add(")");
    }
  }
}
