package dev.holdfast.guard;

import dev.holdfast.sql.Transaction;
import dev.holdfast.sql.internal.SqlText;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The one {@code UPDATE} that computes all columns in one pass over the children. */
record RollupStatement(
    Target parent,
    String children,
    String childColumn,
    Object id,
    List<RollupAggregate> aggregates,
    @Nullable String versionColumn) {

  SqlText write(Transaction tx) {
    // bad names are refused before anything is sent, such as the question for an index
    aggregates.forEach(aggregate -> tx.dialect().quote(aggregate.into()));
    SqlText sql = new SqlText(tx.dialect()).add("UPDATE ").name(parent.table());
    if (tx.dialect().updateSetsFromQuery()) {
      writeSetFromQuery(tx, sql);
    } else {
      writeJoin(tx, sql);
    }
    if (versionColumn != null) {
      sql.add(", ").name(versionColumn).add(" = ").name(versionColumn).add(" + 1");
    }
    parent.writeWhere(sql);
    return sql;
  }

  private void writeSetFromQuery(Transaction tx, SqlText sql) {
    sql.add(" SET (").names(aggregates.stream().map(RollupAggregate::into).toList()).add(") = (");
    writeQuery(tx, sql);
    sql.add(")");
  }

  private void writeJoin(Transaction tx, SqlText sql) {
    sql.add(" CROSS JOIN (");
    writeQuery(tx, sql);
    sql.add(") rolled_up SET ");
    for (int i = 0; i < aggregates.size(); i++) {
      sql.add(i == 0 ? "" : ", ").name(aggregates.get(i).into()).add(" = rolled_up." + alias(i));
    }
  }

  private void writeQuery(Transaction tx, SqlText sql) {
    sql.add("SELECT ");
    for (int i = 0; i < aggregates.size(); i++) {
      sql.add(i == 0 ? "" : ", ");
      aggregates.get(i).write(sql);
      sql.add(" AS " + alias(i));
    }
    // MariaDB and MySQL lock the children that they read
    sql.add(" FROM ")
        .searched(tx, children, childColumn)
        .add(" WHERE ")
        .name(childColumn)
        .add(" = ")
        .value(id);
  }

  /** Unlike any column of the parent, which stand without the name of their table. */
  private static String alias(int index) {
    return "rolled_up_" + index;
  }
}
