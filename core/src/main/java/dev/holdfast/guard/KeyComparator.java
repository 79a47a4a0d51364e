package dev.holdfast.guard;

import dev.holdfast.internal.sql.SqlBuilder;
import dev.holdfast.transaction.Transaction;
import java.math.BigDecimal;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Compares keys as the database does. Numbers need not be asked for; of texts, UUIDs and all else
 * only the database knows the order, by the type and collation of the column.
 */
final class KeyComparator {
  private KeyComparator() {}

  /** The least of {@code keys}, if it does not come after {@code bound}; else null. */
  static @Nullable Object firstNotAfter(
      Transaction tx, TableLock table, RowKeys keys, Object bound) {
    BigDecimal limit = bound instanceof Number ? number(bound) : null;
    Object least = null;
    BigDecimal minNumber = null;
    for (Object key : keys.values()) {
      BigDecimal number = limit == null ? null : number(key);
      if (limit == null || number == null) {
        return askFirstNotAfter(tx, table, keys.values(), bound);
      }
      if (minNumber == null || number.compareTo(minNumber) < 0) {
        least = key;
        minNumber = number;
      }
    }
    return minNumber != null && limit != null && minNumber.compareTo(limit) <= 0 ? least : null;
  }

  static boolean isAfter(Transaction tx, TableLock table, Object key, Object bound) {
    return firstNotAfter(tx, table, RowKeys.of(table.table(), List.of(key)), bound) == null;
  }

  static boolean isOneOf(Transaction tx, TableLock table, Object key, Collection<Object> others) {
    if (others.isEmpty()) {
      return false;
    }
    SqlBuilder sql = new SqlBuilder(tx.dialect()).add("SELECT 1 FROM ");
    writeNoRow(sql, table);
    sql.add(" WHERE ");
    writeTyped(sql, table, key);
    sql.add(" IN (").values(others).add(")");
    return sql.row(tx, () -> "comparing keys of '" + table.table() + "'").isPresent();
  }

  private static @Nullable Object askFirstNotAfter(
      Transaction tx, TableLock table, List<Object> keys, Object bound) {
    SqlBuilder sql = new SqlBuilder(tx.dialect()).add("SELECT x.least_key FROM (SELECT LEAST(");
    writeTyped(sql, table, keys.get(0));
    sql.add(", ").values(keys).add(") AS least_key, ");
    writeTyped(sql, table, bound);
    sql.add(" AS bound_key FROM ");
    writeNoRow(sql, table);
    sql.add(") x WHERE x.least_key <= x.bound_key");
    return sql.row(tx, () -> "comparing keys of '" + table.table() + "'")
        .map(row -> row.get("least_key"))
        .orElse(null);
  }

  /** A row of nothing: its columns have their types and collations, and no table is read. */
  private static void writeNoRow(SqlBuilder sql, TableLock table) {
    sql.add("(SELECT 1 AS one) o LEFT JOIN ").name(table.table()).add(" t ON 1 = 0");
  }

  /** A value that compares as the key of the table does. */
  private static void writeTyped(SqlBuilder sql, TableLock table, Object value) {
    sql.add("COALESCE(t.").name(table.column()).add(", ").value(value).add(")");
  }

  private static @Nullable BigDecimal number(Object key) {
    if (key instanceof Long || key instanceof Integer || key instanceof Short) {
      return BigDecimal.valueOf(((Number) key).longValue());
    }
    try {
      return new BigDecimal(key.toString());
    } catch (NumberFormatException e) {
      return null;
    }
  }
}
