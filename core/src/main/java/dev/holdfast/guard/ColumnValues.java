package dev.holdfast.guard;

import dev.holdfast.internal.Require;
import dev.holdfast.internal.sql.SqlBuilder;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Columns and their values, in the order they were named, each named once. Immutable. */
final class ColumnValues {
  static final ColumnValues NONE = new ColumnValues(Map.of());

  /** Stands for the clock of the database. */
  static final Object NOW =
      new Object() {
        @Override
        public String toString() {
          return "now";
        }
      };

  private final Map<String, @Nullable Object> values;

  private ColumnValues(Map<String, @Nullable Object> values) {
    this.values = values;
  }

  ColumnValues with(String column, @Nullable Object value) {
    requireName(column, "the name of a column");
    Require.that(
        !contains(column),
        () -> "each column must be named once, was named twice: '" + column + "'");
    Map<String, @Nullable Object> longer = new LinkedHashMap<>(values);
    longer.put(column, value);
    return new ColumnValues(Collections.unmodifiableMap(longer));
  }

  /** Refuses what cannot name a column. A dot could hide that two names mean one column. */
  static String requireName(@Nullable String column, String what) {
    String name = Require.notBlank(column, what);
    Require.that(!name.contains("."), () -> what + " must have no dot, was '" + name + "'");
    return name;
  }

  /** A name as it stands above the values of a row: without its quotes. */
  static String label(String column) {
    return column.replace("\"", "").replace("`", "");
  }

  /** A name without its quotes and its case: two that differ only so may be one column. */
  private static String bare(String column) {
    return label(column).toLowerCase(Locale.ROOT);
  }

  /** Whether two names may mean one column. */
  static boolean areSame(String one, String other) {
    return bare(one).equals(bare(other));
  }

  /** As {@link #with}, for a value that must not be null because SQL never finds null equal. */
  ColumnValues withNotNull(String column, @Nullable Object value) {
    return with(column, Require.notNull(value, "the value of '" + column + "'"));
  }

  static ColumnValues of(Map<String, ? extends @Nullable Object> values) {
    ColumnValues columns = NONE;
    for (Map.Entry<String, ? extends @Nullable Object> column : values.entrySet()) {
      columns = columns.with(column.getKey(), column.getValue());
    }
    return columns;
  }

  boolean isEmpty() {
    return values.isEmpty();
  }

  boolean contains(String column) {
    if (values.isEmpty()) {
      return false;
    }
    String name = bare(column);
    for (String named : values.keySet()) {
      if (bare(named).equals(name)) {
        return true;
      }
    }
    return false;
  }

  Collection<String> names() {
    return values.keySet();
  }

  Map<String, @Nullable Object> values() {
    return values;
  }

  /** Writes {@code a = ?, b = ?}. */
  void writeAssignments(SqlBuilder sql) {
    write(sql, ", ", " = ");
  }

  /** Writes {@code a = ? AND b = ?}. */
  void writeConditions(SqlBuilder sql) {
    write(sql, " AND ", " = ");
  }

  static void writeValue(SqlBuilder sql, @Nullable Object value) {
    if (value == NOW) {
      sql.now();
    } else if (value instanceof CurrentTimePlus later) {
      sql.nowPlus(later.time());
    } else {
      sql.value(value);
    }
  }

  private void write(SqlBuilder sql, String between, String equals) {
    Iterator<Map.Entry<String, @Nullable Object>> rest = values.entrySet().iterator();
    while (rest.hasNext()) {
      Map.Entry<String, @Nullable Object> column = rest.next();
      sql.name(column.getKey()).add(equals);
      writeValue(sql, column.getValue());
      sql.add(rest.hasNext() ? between : "");
    }
  }

  @Override
  public String toString() {
    return values.toString();
  }
}
