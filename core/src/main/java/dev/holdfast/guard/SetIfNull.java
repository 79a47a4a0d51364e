package dev.holdfast.guard;

import dev.holdfast.internal.Require;
import dev.holdfast.internal.sql.SqlBuilder;
import java.util.Collection;
import java.util.List;

/** A column that is null until the first one writes a value to it, for good. */
record SetIfNull(String column, Object value) implements RowCondition {
  SetIfNull {
    ColumnValues.requireName(column, "the name of the column to mark");
    Require.notNull(value, "the value of '" + column + "'");
  }

  @Override
  public Collection<String> columns() {
    return List.of(column);
  }

  @Override
  public boolean refusalIsConflict() {
    return true;
  }

  @Override
  public void writeChange(SqlBuilder sql) {
    sql.name(column).add(" = ").value(value);
  }

  @Override
  public void writeCheck(SqlBuilder sql) {
    sql.name(column).add(" IS NULL");
  }

  @Override
  public void writeDone(SqlBuilder sql) {
    sql.exactly(column, value);
  }

  @Override
  public String toString() {
    return "markOnce('" + column + "')";
  }
}
