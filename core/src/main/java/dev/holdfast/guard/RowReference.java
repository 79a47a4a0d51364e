package dev.holdfast.guard;

import dev.holdfast.HoldfastException;
import dev.holdfast.internal.Require;
import dev.holdfast.internal.sql.SqlBuilder;
import dev.holdfast.transaction.Row;
import dev.holdfast.transaction.Transaction;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The one row that a guard is about: a table, and the columns that identify the row. Immutable. */
record RowReference(String table, ColumnValues key) {
  static RowReference table(String table) {
    return new RowReference(Require.notBlank(table, "the name of a table"), ColumnValues.NONE);
  }

  RowReference where(String column, @Nullable Object value) {
    return new RowReference(table, key.withNotNull(column, value));
  }

  /** Refuses a guard that does not say which row it is about. */
  void requireKey() {
    Require.that(
        !key.isEmpty(),
        () -> "the row of '" + table + "' must be named with where(column, value), was not named");
  }

  /** Starts {@code UPDATE table SET }. */
  SqlBuilder update(Transaction tx) {
    return new SqlBuilder(tx.dialect()).add("UPDATE ").name(table).add(" SET ");
  }

  void writeWhere(SqlBuilder sql) {
    sql.add(" WHERE ");
    key.writeConditions(sql);
  }

  /** The row as it is committed now, seen after a change of it was refused. */
  Optional<Row> current(Transaction tx) {
    return current(tx, new SqlBuilder(tx.dialect()).add("SELECT *"));
  }

  /** As {@link #current(Transaction)}, for a {@code SELECT} that is written up to its columns. */
  Optional<Row> current(Transaction tx, SqlBuilder select) {
    writeWhere(select.add(" FROM ").name(table));
    List<Row> rows =
        select
            .limit(2)
            .add(tx.dialect().currentRead(tx.isolation()))
            .rows(tx, () -> "reading " + this);
    requireOne(tx, rows.size());
    return rows.stream().findFirst();
  }

  /** Runs a change of this row and tells whether it was made. */
  boolean change(Transaction tx, SqlBuilder sql) {
    int rows = sql.update(tx, () -> "changing " + this);
    requireOne(tx, rows);
    return rows == 1;
  }

  private void requireOne(Transaction tx, int rows) {
    if (rows > 1) {
      HoldfastException failure = GuardException.ambiguousRow(toString(), rows);
      tx.setRollbackOnly(failure);
      throw failure;
    }
  }

  @Override
  public String toString() {
    return "'" + table + "' " + key;
  }
}
