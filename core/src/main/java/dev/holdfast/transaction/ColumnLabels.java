package dev.holdfast.transaction;

import dev.holdfast.InvalidArgumentException;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The names of the columns of some rows, shared by all rows of one result. Immutable. */
record ColumnLabels(List<String> names) {
  private static final int NONE = -1;
  private static final int SEVERAL = -2;

  static ColumnLabels of(ResultSetMetaData columns) throws SQLException {
    String[] names = new String[columns.getColumnCount()];
    for (int i = 0; i < names.length; i++) {
      names[i] = columns.getColumnLabel(i + 1);
    }
    return new ColumnLabels(List.of(names));
  }

  /** Where a column is, by its name as it is, or else in any case. */
  int indexOf(String column) {
    int index = find(column, false);
    if (index == NONE) {
      index = find(column, true);
    }
    if (index >= 0) {
      return index;
    }
    throw new InvalidArgumentException(
        index == NONE
            ? "there is no column '" + column + "' in this row; it has " + names
            : "there are several columns '"
                + column
                + "' in this row, give them names; it has "
                + names);
  }

  ColumnLabels without(int index) {
    List<String> fewer = new ArrayList<>(names);
    fewer.remove(index);
    return new ColumnLabels(Collections.unmodifiableList(fewer));
  }

  /** Whether these are the same names, whatever their case. */
  boolean areSame(ColumnLabels others) {
    if (names.size() != others.names.size()) {
      return false;
    }
    for (int i = 0; i < names.size(); i++) {
      if (!names.get(i).equalsIgnoreCase(others.names.get(i))) {
        return false;
      }
    }
    return true;
  }

  private int find(String column, boolean inAnyCase) {
    int found = NONE;
    for (int i = 0; i < names.size(); i++) {
      String name = names.get(i);
      if (inAnyCase ? name.equalsIgnoreCase(column) : name.equals(column)) {
        if (found != NONE) {
          return SEVERAL;
        }
        found = i;
      }
    }
    return found;
  }
}
