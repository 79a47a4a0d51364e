package dev.holdfast.race.internal.database;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A table.
 *
 * @param title how it is called in reports, and by the other packages
 * @param quoted how it is written in SQL
 * @param source likewise, if its own rows are read or deleted: without those of tables that inherit
 *     from it
 */
record Table(String title, String quoted, String source, List<Column> columns) {

  /**
   * A column.
   *
   * @param title how it is called in reports
   * @param quoted how it is written in SQL
   * @param computed whether the database computes it from others
   * @param always whether it is an identity that must be overridden to be given
   */
  record Column(String title, String quoted, boolean computed, boolean always) {}

  /** A foreign key, or another reason why a change of the parent is one of the child. */
  record Reference(Table child, Table parent, boolean cascades) {}

  String select() {
    return "SELECT " + list(columns) + " FROM " + source;
  }

  /** The columns that can be given. */
  String given() {
    return list(columns.stream().filter(column -> !column.computed()).toList());
  }

  String delete() {
    return "DELETE FROM " + source;
  }

  String insertFrom(String copy) {
    boolean always = columns.stream().anyMatch(Column::always);
    return "INSERT INTO %s (%s)%s SELECT %s FROM %s"
        .formatted(quoted, given(), always ? " OVERRIDING SYSTEM VALUE" : "", given(), copy);
  }

  Table finished() {
    return new Table(title, quoted, source, List.copyOf(columns));
  }

  private static String list(List<Column> columns) {
    return columns.stream().map(Column::quoted).collect(Collectors.joining(", "));
  }

  @Override
  public String toString() {
    return title;
  }
}
