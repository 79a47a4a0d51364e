package dev.holdfast.event.internal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Binds columns of many rows as arrays. */
record PostgreSqlArrays(Connection connection, PreparedStatement statement) {
  <T> void set(
      int index, String type, Collection<T> rows, Function<T, ? extends @Nullable Object> column)
      throws SQLException {
    @Nullable Object[] values = new @Nullable Object[rows.size()];
    int i = 0;
    for (T row : rows) {
      values[i++] = column.apply(row);
    }
    statement.setArray(index, connection.createArrayOf(type, values));
  }

  /** Instants as text, which the server reads in whatever zone: they say theirs. */
  <T> void times(int index, Collection<T> rows, Function<T, @Nullable Instant> column)
      throws SQLException {
    set(
        index,
        "text",
        rows,
        row -> {
          Instant time = column.apply(row);
          return time == null ? null : time.toString();
        });
  }
}
