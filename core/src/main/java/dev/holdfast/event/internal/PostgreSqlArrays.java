package dev.holdfast.event.internal;

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

  /** What one row has in a column of times. */
  interface TimeColumn<T> {
    @Nullable Instant of(T row);
  }

  <T> void set(int index, String type, Collection<T> rows, Column<T> column) throws SQLException {
    @Nullable Object[] values = new @Nullable Object[rows.size()];
    int i = 0;
    for (T row : rows) {
      values[i++] = column.of(row);
    }
    statement.setArray(index, connection.createArrayOf(type, values));
  }

  /** Bytes, which the driver takes only in an array of their own type. */
  void bytes(int index, Collection<NewEvent> rows) throws SQLException {
    byte[] @Nullable [] values = new byte[rows.size()] @Nullable [];
    int i = 0;
    for (NewEvent row : rows) {
      values[i++] = row.payload().bytes();
    }
    statement.setArray(index, connection.createArrayOf("bytea", values));
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
