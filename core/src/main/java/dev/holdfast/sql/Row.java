package dev.holdfast.sql;

import dev.holdfast.InvalidArgumentException;
import java.math.BigDecimal;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One row as it was read: columns by name, in any case, with values as the driver gives them. Large
 * objects are read whole, so a row is of use after its transaction has ended.
 *
 * <p>Immutable and thread-safe, as far as its values are: do not change an array that you get from
 * it. Two rows are equal where they have the same columns and values, arrays by their content.
 */
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
      values.put(labels.get(i), whole(results.getObject(i + 1)));
    }
    return new Row(values);
  }

  /**
   * Large objects, as H2 gives them, end with the transaction; {@code int} is all JDBC can take.
   */
  private static @Nullable Object whole(@Nullable Object value) throws SQLException {
    if (value instanceof Clob text) {
      return text.getSubString(1, (int) text.length());
    }
    return value instanceof Blob bytes ? bytes.getBytes(1, (int) bytes.length()) : value;
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
          "column '" + column + "' must hold a whole number, was " + value + "; see decimal(…)");
    }
  }

  /** This row less one column. */
  public Row without(String column) {
    Map<String, @Nullable Object> fewer = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    fewer.putAll(values);
    fewer.remove(column);
    return new Row(fewer);
  }

  /**
   * The value of a column as a decimal number, such as an amount of money.
   *
   * @throws InvalidArgumentException where it is null, or not a number
   */
  public BigDecimal decimal(String column) {
    Object value = get(column);
    try {
      return value instanceof BigDecimal decimal ? decimal : new BigDecimal(String.valueOf(value));
    } catch (NumberFormatException e) {
      throw new InvalidArgumentException(
          "column '" + column + "' must hold a number, was " + value);
    }
  }

  /** All columns and their values. */
  public Map<String, @Nullable Object> values() {
    return values;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Row row
        && values.keySet().equals(row.values.keySet())
        && Arrays.deepEquals(values.values().toArray(), row.values.values().toArray());
  }

  @Override
  public int hashCode() {
    // without the names, because their case does not count
    return Arrays.deepHashCode(values.values().toArray());
  }

  @Override
  public String toString() {
    return values.toString();
  }
}
