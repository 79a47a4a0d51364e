package dev.holdfast.internal.event.store;

import dev.holdfast.event.EventId;
import dev.holdfast.event.EventRecord;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How one database is spoken to about events: its words for time, and running statements.
 *
 * @param prefix the quoted schema and a dot, or nothing
 * @param times how the driver takes and gives instants
 */
record EventStatements(String prefix, String now, String nowPlusMicros, Times times) {
  /** Instants as the columns keep them. */
  interface Times {
    void set(PreparedStatement statement, int index, Instant time) throws SQLException;

    @Nullable Instant get(ResultSet row, int index) throws SQLException;
  }

  /** As columns with a time zone keep them: to the microsecond. */
  static final Times WITH_OFFSET =
      new Times() {
        @Override
        public void set(PreparedStatement statement, int index, Instant time) throws SQLException {
          Instant kept = time.truncatedTo(ChronoUnit.MICROS);
          statement.setObject(index, kept.atOffset(ZoneOffset.UTC));
        }

        @Override
        public @Nullable Instant get(ResultSet row, int index) throws SQLException {
          OffsetDateTime time = row.getObject(index, OffsetDateTime.class);
          return time == null ? null : time.toInstant();
        }
      };

  /** Makes something of the row that a result stands on. */
  interface Reader<T> {
    T read(ResultSet row) throws SQLException;
  }

  /** A statement of ours with the schema and the clock filled in. */
  String text(String template) {
    return template
        .replace("{now+}", nowPlusMicros)
        .replace("{now}", now)
        .replace("{", prefix + "holdfast_")
        .replace("}", "");
  }

  int update(Connection connection, String sql, @Nullable Object... values) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement, values);
      return statement.executeUpdate();
    }
  }

  <T> List<T> query(Connection connection, String sql, Reader<T> reader, @Nullable Object... values)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement, values);
      try (ResultSet row = statement.executeQuery()) {
        List<T> all = new ArrayList<>();
        while (row.next()) {
          all.add(reader.read(row));
        }
        return all;
      }
    }
  }

  /**
   * Whether an insert has inserted: by the row that it returns, since counts of rows may be wrong.
   */
  boolean returnsRow(Connection connection, String sql, @Nullable Object... values)
      throws SQLException {
    return first(connection, sql, row -> true, values).isPresent();
  }

  <T> Optional<T> first(
      Connection connection, String sql, Reader<T> reader, @Nullable Object... values)
      throws SQLException {
    List<T> all = query(connection, sql, reader, values);
    return all.isEmpty() ? Optional.empty() : Optional.of(all.get(0));
  }

  void bind(PreparedStatement statement, @Nullable Object... values) throws SQLException {
    for (int i = 0; i < values.length; i++) {
      Object value = values[i];
      if (value instanceof Instant time) {
        times.set(statement, i + 1, time);
      } else if (value == null) {
        statement.setNull(i + 1, Types.NULL);
      } else {
        statement.setObject(i + 1, value);
      }
    }
  }

  Instant time(ResultSet row, int index) throws SQLException {
    Instant time = times.get(row, index);
    if (time == null) {
      throw new SQLException("a time that must be there is null, in column " + index);
    }
    return time;
  }

  /** Reads {@link EventColumns#TOLD_LIVE} or {@link EventColumns#TOLD_ENDED}. */
  EventRecord event(ResultSet row) throws SQLException {
    return new EventRecord(
        new EventId(row.getInt(1), row.getLong(2)),
        StatusCode.read(row.getInt(3)),
        row.getString(4),
        row.getString(5),
        row.getInt(6),
        row.getInt(7),
        row.getInt(8),
        row.getInt(9),
        time(row, 10),
        time(row, 11),
        times.get(row, 12),
        times.get(row, 24),
        times.get(row, 13),
        row.getString(14),
        row.getString(15),
        row.getString(16),
        tags(row.getString(17)),
        row.getBoolean(25),
        row.getObject(22, Long.class),
        row.getString(23),
        row.getString(18),
        id(row.getString(19)),
        id(row.getString(26)),
        row.getString(20),
        row.getBytes(21));
  }

  private static @Nullable EventId id(@Nullable String stored) {
    return stored == null ? null : EventId.parse(stored);
  }

  static List<String> tags(@Nullable String stored) {
    return stored == null ? List.of() : List.of(stored.trim().split(" "));
  }
}
