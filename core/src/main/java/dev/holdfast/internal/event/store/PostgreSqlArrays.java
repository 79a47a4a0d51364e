package dev.holdfast.internal.event.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Binds columns of many rows as arrays. */
record PostgreSqlArrays(Connection connection, PreparedStatement statement) {
  /** What one row has in a column. */
  interface Column<T> {
    @Nullable Object of(T row);
  }

  /** What one row has in a column of bytes. */
  interface BytesColumn<T> {
    byte @Nullable [] of(T row);
  }

  /** What one row has in a column of times. */
  interface TimeColumn<T> {
    @Nullable Instant of(T row);
  }

  /** What one row has in a column of numbers. */
  interface NumberColumn<T> {
    long of(T row);
  }

  /** Numbers, which the driver sends without making texts of them. */
  <T> void longs(int index, Collection<T> rows, NumberColumn<T> column) throws SQLException {
    long[] values = new long[rows.size()];
    int i = 0;
    for (T row : rows) {
      values[i++] = column.of(row);
    }
    statement.setObject(index, values);
  }

  <T> void ints(int index, Collection<T> rows, NumberColumn<T> column) throws SQLException {
    int[] values = new int[rows.size()];
    int i = 0;
    for (T row : rows) {
      values[i++] = (int) column.of(row);
    }
    statement.setObject(index, values);
  }

  /** Values; where all are null none is sent, because {@code unnest} fills up with null. */
  <T> void set(int index, String type, Collection<T> rows, Column<T> column) throws SQLException {
    @Nullable Object[] values = new @Nullable Object[rows.size()];
    boolean any = false;
    int i = 0;
    for (T row : rows) {
      Object value = column.of(row);
      any |= value != null;
      values[i++] = value;
    }
    @Nullable Object[] sent = any ? values : new @Nullable Object[0];
    statement.setArray(index, connection.createArrayOf(type, sent));
  }

  /** Bytes, which the driver takes only in an array of their own type. */
  <T> void bytes(int index, Collection<T> rows, BytesColumn<T> column) throws SQLException {
    byte[] @Nullable [] values = new byte[rows.size()] @Nullable [];
    int i = 0;
    boolean any = false;
    for (T row : rows) {
      byte[] value = column.of(row);
      any |= value != null;
      values[i++] = value;
    }
    @Nullable Object[] sent = any ? values : new @Nullable Object[0];
    statement.setArray(index, connection.createArrayOf("bytea", sent));
  }

  /** Instants as text, which the server reads in whatever zone: they say theirs. */
  <T> void times(int index, Collection<T> rows, TimeColumn<T> column) throws SQLException {
    set(
        index,
        "text",
        rows,
        row -> {
          Instant time = column.of(row);
          return time == null ? null : time.toString();
        });
  }
}
