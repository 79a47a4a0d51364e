package dev.holdfast.race.internal.jdbc;

import java.io.InputStream;
import java.io.Reader;
import java.lang.reflect.Array;
import java.math.BigDecimal;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Ref;
import java.sql.ResultSet;
import java.sql.RowId;
import java.sql.SQLException;
import java.sql.SQLXML;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Values as SQL literals, for people and for comparing. */
final class Literals {
  private static final int MAX = 200;

  private Literals() {}

  static String of(@Nullable Object value) {
    if (value == null) {
      return "NULL";
    }
    if (value instanceof BigDecimal number) {
      return number.toPlainString();
    }
    if (value instanceof Number number) {
      return number.toString();
    }
    if (value instanceof Boolean truth) {
      return truth ? "TRUE" : "FALSE";
    }
    if (value instanceof byte[] bytes) {
      return "x'" + shortened(HexFormat.of().formatHex(bytes)) + "'";
    }
    return quoted(text(value));
  }

  private static String text(Object value) {
    if (value instanceof Timestamp time) {
      return time.toLocalDateTime().toString();
    }
    if (value instanceof java.util.Date date && value.getClass() == java.util.Date.class) {
      return date.toInstant().toString();
    }
    if (value instanceof java.sql.Array array) {
      return elements(array);
    }
    if (value.getClass().isArray()) {
      return elements(value);
    }
    String unread = unread(value);
    if (!unread.isEmpty()) {
      return unread;
    }
    String text = String.valueOf(value);
    // what has no text of its own has another one in each run
    return text.startsWith(value.getClass().getName() + "@")
        ? "<" + value.getClass().getSimpleName() + ">"
        : text;
  }

  private static String elements(java.sql.Array array) {
    try {
      Object elements = array.getArray();
      return elements == null ? "<array>" : elements(elements);
    } catch (SQLException e) {
      return "<array>";
    }
  }

  private static String elements(Object array) {
    List<String> elements = new ArrayList<>();
    for (int i = 0; i < Array.getLength(array); i++) {
      Object element = Array.get(array, i);
      elements.add(
          element instanceof Object[] inner ? Arrays.deepToString(inner) : String.valueOf(element));
    }
    return "{" + String.join(",", elements) + "}";
  }

  /** What can be read only once, or only with the help of the database, is left to the code. */
  private static String unread(Object value) {
    if (value instanceof Clob) {
      return "<clob>";
    }
    if (value instanceof Blob) {
      return "<blob>";
    }
    if (value instanceof SQLXML) {
      return "<xml>";
    }
    if (value instanceof InputStream || value instanceof Reader) {
      return "<stream>";
    }
    if (value instanceof RowId || value instanceof Ref) {
      return "<reference>";
    }
    return value instanceof ResultSet ? "<rows>" : "";
  }

  private static String quoted(String text) {
    return "'" + shortened(text).replace("'", "''") + "'";
  }

  /** With a hash, as long texts may differ in their ends only. */
  private static String shortened(String text) {
    return text.length() <= MAX
        ? text
        : text.substring(0, MAX) + "…#" + Integer.toHexString(text.hashCode());
  }
}
