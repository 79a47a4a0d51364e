package dev.holdfast.guard;

import dev.holdfast.internal.Require;
import dev.holdfast.internal.sql.SqlBuilder;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A step from one of some states to another, with references that tell for what it was made. */
record Transition(String column, List<Object> from, Object to, ColumnValues references)
    implements RowCondition {
  Transition {
    ColumnValues.requireName(column, "the name of the column with the state");
    Require.notNull(to, "the state to go to");
    for (Object state : from) {
      // 'PAID' and Status.PAID, 1 and 1L are the same to the database
      Require.that(
          !text(state).equals(text(to)),
          () ->
              "a transition of '"
                  + column
                  + "' must lead to another state, was to the same: "
                  + to);
    }
    Require.that(
        !references.contains(column),
        () -> "'" + column + "' must be a state or a reference, was both");
    from = List.copyOf(from);
  }

  static Transition of(String column, @Nullable Object from, @Nullable Object to) {
    return new Transition(
        column,
        List.of(Require.notNull(from, "the state to come from")),
        Require.notNull(to, "the state to go to"),
        ColumnValues.NONE);
  }

  Transition orFrom(@Nullable Object state) {
    List<Object> more = new ArrayList<>(from);
    more.add(Require.notNull(state, "the state to come from"));
    return new Transition(column, more, to, references);
  }

  Transition reference(String referenceColumn, @Nullable Object value) {
    return new Transition(column, from, to, references.withNotNull(referenceColumn, value));
  }

  /** What the database gets to see of a state, by which two of them can be compared. */
  static String text(Object state) {
    return state instanceof Enum<?> constant ? constant.name() : state.toString();
  }

  @Override
  public Collection<String> columns() {
    List<String> all = new ArrayList<>(references.names());
    all.add(column);
    return all;
  }

  @Override
  public boolean refusalIsConflict() {
    return true;
  }

  @Override
  public void writeChange(SqlBuilder sql) {
    references.with(column, to).writeAssignments(sql);
  }

  @Override
  public void writeCheck(SqlBuilder sql) {
    // never from the new state, even where the column's type takes 'paid' for 'PAID'
    sql.add("NOT (").exactly(column, to).add(") AND (");
    String or = "";
    for (Object state : from) {
      sql.add(or).exactly(column, state);
      or = " OR ";
    }
    sql.add(")");
    eachReference(
        sql,
        (name, value) -> sql.add("(").name(name).add(" IS NULL OR ").exactly(name, value).add(")"));
  }

  @Override
  public void writeDone(SqlBuilder sql) {
    sql.exactly(column, to);
    eachReference(sql, sql::exactly);
  }

  private void eachReference(SqlBuilder sql, ReferenceWriter writer) {
    references
        .values()
        .forEach(
            (name, value) -> {
              if (value != null) {
                sql.add(" AND ");
                writer.write(name, value);
              }
            });
  }

  private interface ReferenceWriter {
    void write(String column, Object value);
  }

  @Override
  public String toString() {
    return "transition('" + column + "')";
  }
}
