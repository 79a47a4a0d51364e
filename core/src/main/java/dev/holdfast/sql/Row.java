package dev.holdfast.sql;

import dev.holdfast.InvalidArgumentException;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One row as it was read: columns by name, in any case. Immutable and thread-safe. */
public final class Row {
  private final Map<String, @Nullable Object> values;

  private Row(Map<String, @Nullable Object> values) {
    this.values = Collections.unmodifiableMap(values);
  }

  /** The row that {@code results} stands on. */
  public static Row of(ResultSet results) throws SQLException {
    return of(results, labels(results));
  }

  /** All the rows that {@code results} still has. */
  public static List<Row> allOf(ResultSet results) throws SQLException {
    List<String> labels = labels(results);
    List<Row> rows = new ArrayList<>();
    while (results.next()) {
      rows.add(of(results, labels));
    }
    return rows;
  }

  private static List<String> labels(ResultSet results) throws SQLException {
    ResultSetMetaData columns = results.getMetaData();
    List<String> labels = new ArrayList<>();
    for (int i = 1; i <= columns.getColumnCount(); i++) {
      labels.add(columns.getColumnLabel(i));
    }
    return labels;
  }

  private static Row of(ResultSet results, List<String> labels) throws SQLException {
    Map<String, @Nullable Object> values = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    for (int i = 0; i < labels.size(); i++) {
      values.put(labels.get(i), results.getObject(i + 1));
    }
    return new Row(values);
  }

  /** The value of a column as the driver gave it, or null where it is null in the database. */
  public @Nullable Object get(String column) {
    if (!values.containsKey(column)) {
      throw new InvalidArgumentException(
          "there is no column '" + column + "' in this row; it has " + values.keySet());
    }
    return values.get(column);
  }

  /** The value of a column as text, or null where it is null in the database. */
  public @Nullable String text(String column) {
    Object value = get(column);
    return value == null ? null : value.toString();
  }

  /**
   * The value of a column as a whole number.
   *
   * @throws InvalidArgumentException where it is null, or not a whole number that fits
   */
  public long number(String column) {
    Object value = get(column);
    if (value instanceof Long || value instanceof Integer || value instanceof Short) {
      return ((Number) value).longValue();
    }
    try {
      return new BigDecimal(String.valueOf(value)).longValueExact();
    } catch (ArithmeticException | NumberFormatException e) {
      throw new InvalidArgumentException(
          "column '" + column + "' must hold a whole number, was " + value);
    }
  }

  /** All columns and their values. */
  public Map<String, @Nullable Object> values() {
    return values;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Row row && values.equals(row.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  @Override
  public String toString() {
    return values.toString();
  }
}
