package dev.holdfast.guard;

import dev.holdfast.internal.sql.SqlBuilder;
import org.jspecify.annotations.Nullable;

/**
 * One number about the children of a row, and the column of the parent that it is for.
 *
 * @param summed the column of the children that is added up; null to count them
 * @param filter the column of the children that must have {@code wanted}; null for all children
 */
record Aggregate(
    String column, @Nullable String summed, @Nullable String filter, @Nullable Object wanted) {
  /** Writes the number as an expression over all children, so that one pass is enough for many. */
  void write(SqlBuilder sql) {
    sql.add(summed == null ? "COUNT(" : "COALESCE(SUM(");
    if (filter != null) {
      sql.add("CASE WHEN holdfast_child.").name(filter).add(" = ").value(wanted).add(" THEN ");
      writeOne(sql);
      sql.add(" END");
    } else {
      writeOne(sql);
    }
    sql.add(summed == null ? ")" : "), 0)");
  }

  private void writeOne(SqlBuilder sql) {
    if (summed == null) {
      sql.add("1");
    } else {
      sql.add("holdfast_child.").name(summed);
    }
  }
}
