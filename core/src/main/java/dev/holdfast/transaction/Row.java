package dev.holdfast.transaction;

import dev.holdfast.InvalidArgumentException;
import java.math.BigDecimal;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One row as it was read: columns by name, in any case where that is clear, with values as the
 * driver gives them. Large objects and SQL arrays are read whole, as texts, bytes and Java arrays,
 * so a row is of use after its transaction has ended.
 *
 * <p>Immutable and thread-safe, as far as its values are: do not change an array that you get from
 * it. Two rows are equal where they have the same columns in the same order, and the same values,
 * arrays by their content.
 */
public final class Row {
  private final ColumnLabels labels;
  private final @Nullable Object[] values;

  private Row(ColumnLabels labels, @Nullable Object[] values) {
    this.labels = labels;
    this.values = values;
  }

  /** The row that {@code results} stands on. */
  public static Row of(ResultSet results) throws SQLException {
    return of(results, ColumnLabels.of(results.getMetaData()));
  }

  /** All the rows that {@code results} still has. */
  public static List<Row> allOf(ResultSet results) throws SQLException {
    if (!results.next()) {
      return List.of();
    }
    ColumnLabels labels = ColumnLabels.of(results.getMetaData());
    List<Row> rows = new ArrayList<>();
    do {
      rows.add(of(results, labels));
    } while (results.next());
    return rows;
  }

  private static Row of(ResultSet results, ColumnLabels labels) throws SQLException {
    @Nullable Object[] values = new @Nullable Object[labels.names().size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = whole(results.getObject(i + 1));
    }
    return new Row(labels, values);
  }

  /**
   * Large objects, as H2 gives them, and arrays end with the transaction; {@code int} is all JDBC
   * can take.
   */
  private static @Nullable Object whole(@Nullable Object value) throws SQLException {
    if (value instanceof Clob text) {
      return text.getSubString(1, (int) text.length());
    }
    if (value instanceof Array array) {
      return array.getArray();
    }
    return value instanceof Blob bytes ? bytes.getBytes(1, (int) bytes.length()) : value;
  }

  /**
   * The value of a column as the driver gave it, or null where it is null in the database.
   *
   * @throws InvalidArgumentException where there is no such column, or several
   */
  public @Nullable Object get(String column) {
    return values[labels.indexOf(column)];
  }

  /** The value of a column as text, or null where it is null in the database. */
  public @Nullable String text(String column) {
    Object value = get(column);
    if (value instanceof Object[] array) {
      return Arrays.deepToString(array);
    }
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
    int left = labels.indexOf(column);
    @Nullable Object[] fewer = Arrays.copyOf(values, values.length - 1);
    System.arraycopy(values, left + 1, fewer, left, fewer.length - left);
    return new Row(labels.without(left), fewer);
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

  /**
   * The value of a column as a point in time, or null where it is null in the database.
   *
   * @throws InvalidArgumentException where it is none, as a local date and time is
   */
  public @Nullable Instant instant(String column) {
    Object value = get(column);
    if (value == null) {
      return null;
    }
    if (value instanceof Timestamp timestamp) {
      return timestamp.toInstant();
    }
    if (value instanceof OffsetDateTime time) {
      return time.toInstant();
    }
    throw new InvalidArgumentException(
        "column '"
            + column
            + "' must hold a point in time, was "
            + value
            + ", a "
            + value.getClass().getName());
  }

  /**
   * The value of a column as true or false; MariaDB and MySQL may keep it as 1 or 0.
   *
   * @throws InvalidArgumentException where it is null, or neither
   */
  public boolean bool(String column) {
    Object value = get(column);
    if (value instanceof Boolean bool) {
      return bool;
    }
    String text = String.valueOf(value);
    if (value instanceof Number && (text.equals("0") || text.equals("1"))) {
      return text.equals("1");
    }
    throw new InvalidArgumentException(
        "column '" + column + "' must hold true or false, was " + value);
  }

  /** All columns and their values, by the names that the driver gave and in its order. */
  public Map<String, @Nullable Object> values() {
    Map<String, @Nullable Object> all = new LinkedHashMap<>();
    for (int i = 0; i < values.length; i++) {
      all.put(labels.names().get(i), values[i]);
    }
    return Collections.unmodifiableMap(all);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Row row
        && labels.areSame(row.labels)
        && Arrays.deepEquals(values, row.values);
  }

  @Override
  public int hashCode() {
    // without the names, because their case does not count
    return Arrays.deepHashCode(values);
  }

  @Override
  public String toString() {
    return values().toString();
  }
}
