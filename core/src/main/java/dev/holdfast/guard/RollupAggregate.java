package dev.holdfast.guard;

import dev.holdfast.internal.Require;
import dev.holdfast.sql.internal.SqlText;
import org.jspecify.annotations.Nullable;

/**
 * One column of a parent and what it is computed from. Immutable.
 *
 * @param of the column of the children; null to count them
 * @param filter the column of the children that must have {@code value}; null to take all
 */
record RollupAggregate(
    String into,
    Function function,
    @Nullable String of,
    @Nullable String filter,
    @Nullable Object value) {

  RollupAggregate {
    Require.notBlank(into, "the column to roll up into");
  }

  enum Function {
    COUNT("COUNT(", ")"),
    /** Of nothing it is 0, not null. */
    SUM("COALESCE(SUM(", "), 0)"),
    MIN("MIN(", ")"),
    MAX("MAX(", ")");

    private final String before;
    private final String after;

    Function(String before, String after) {
      this.before = before;
      this.after = after;
    }
  }

  static RollupAggregate count(String into) {
    return new RollupAggregate(into, Function.COUNT, null, null, null);
  }

  static RollupAggregate of(String into, Function function, String column) {
    Require.notBlank(column, "the column to roll up into '" + into + "'");
    return new RollupAggregate(into, function, column, null, null);
  }

  RollupAggregate where(String column, @Nullable Object wanted) {
    Require.notBlank(column, "the column that filters for '" + into + "'");
    return new RollupAggregate(into, function, of, column, wanted);
  }

  void write(SqlText sql) {
    sql.add(function.before);
    if (filter != null) {
      sql.add("CASE WHEN ").same(filter, value).add(" THEN ");
    }
    if (of == null) {
      sql.add("1");
    } else {
      sql.name(of);
    }
    sql.add(filter == null ? "" : " END").add(function.after);
  }
}
