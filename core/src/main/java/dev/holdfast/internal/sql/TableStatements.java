package dev.holdfast.internal.sql;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How one database is spoken to about a table of ours, whose times are all read and written by the
 * clock of the database.
 *
 * @param prefix the quoted schema and a dot, or nothing
 * @param now the clock of the database, at the beginning of the statement
 * @param nowPlus the clock and so many microseconds, a parameter
 * @param micros a column of time, %s, in microseconds since 1970
 * @param microsUntil the microseconds from the clock to a column of time, %s
 * @param bytesForUuids whether columns of UUIDs are of bytes
 */
public record TableStatements(
    String prefix,
    String now,
    String nowPlus,
    String micros,
    String microsUntil,
    boolean bytesForUuids) {
  /** Makes something of the row that a result stands on. */
  public interface Reader<T> {
    T read(ResultSet row) throws SQLException;
  }

  /** In this schema, which is quoted and has a dot behind it, or is empty. */
  public static TableStatements of(Dialect dialect, String prefix) {
    return switch (dialect.family()) {
      case "postgresql" ->
          new TableStatements(
              prefix,
              "statement_timestamp()",
              "(statement_timestamp() + ? * interval '1 microsecond')",
              "(date_part('epoch', %s) * 1000000)::bigint",
              "(date_part('epoch', %s - statement_timestamp()) * 1000000)::bigint",
              false);
      case "mysql" ->
          new TableStatements(
              prefix,
              "UTC_TIMESTAMP(6)",
              "(UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND)",
              "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', %s)",
              "TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), %s)",
              true);
      case "h2" ->
          new TableStatements(
              prefix,
              "CURRENT_TIMESTAMP(6)",
              "DATEADD(MICROSECOND, ?, CURRENT_TIMESTAMP(6))",
              // DATEDIFF would not look at the zones, which differ between summer and winter
              "CAST(EXTRACT(EPOCH FROM %s) * 1000000 AS bigint)",
              "CAST((EXTRACT(EPOCH FROM %s) - EXTRACT(EPOCH FROM CURRENT_TIMESTAMP(6)))"
                  + " * 1000000 AS bigint)",
              false);
      default -> throw new UnsupportedOperationException("tables on " + dialect);
    };
  }

  /** A statement of ours with the schema and the clock filled in. */
  public String text(String template) {
    return template
        .replace("{now+}", nowPlus)
        .replace("{now}", now)
        .replace("{", prefix + "holdfast_")
        .replace("}", "");
  }

  /** A time in microseconds since 1970: that of a column, or the clock's. */
  public String micros(String time) {
    return micros.formatted(time);
  }

  /** The microseconds until a time in a column; negative after it. */
  public String microsUntil(String column) {
    return microsUntil.formatted(column);
  }

  /** A name as its column stores it: as bytes on databases that store UUIDs as bytes. */
  public Object name(String name) {
    return bytesForUuids ? name.getBytes(StandardCharsets.UTF_8) : name;
  }

  /** The name in a column. */
  public String name(ResultSet row, int index) throws SQLException {
    return bytesForUuids
        ? new String(row.getBytes(index), StandardCharsets.UTF_8)
        : row.getString(index);
  }

  public int update(Connection connection, String sql, @Nullable Object... values)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement, values);
      return statement.executeUpdate();
    }
  }

  public <T> List<T> query(
      Connection connection, String sql, Reader<T> reader, @Nullable Object... values)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement, values);
      try (ResultSet row = statement.executeQuery()) {
        List<T> all = new ArrayList<>(2);
        while (row.next()) {
          all.add(reader.read(row));
        }
        return all;
      }
    }
  }

  public <T> Optional<T> first(
      Connection connection, String sql, Reader<T> reader, @Nullable Object... values)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement, values);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? Optional.of(reader.read(row)) : Optional.empty();
      }
    }
  }

  /**
   * The last row that a statement answers. Of an {@code INSERT … ON DUPLICATE KEY UPDATE …
   * RETURNING} that Galera had to repeat, the answer has the rows of every attempt: only those of
   * the last one were committed.
   */
  public <T> Optional<T> last(
      Connection connection, String sql, Reader<T> reader, @Nullable Object... values)
      throws SQLException {
    List<T> all = query(connection, sql, reader, values);
    return all.isEmpty() ? Optional.empty() : Optional.of(all.get(all.size() - 1));
  }

  /** Binds all parameters of a statement. */
  public void bind(PreparedStatement statement, @Nullable Object... values) throws SQLException {
    for (int i = 0; i < values.length; i++) {
      Object value = values[i];
      if (value == null) {
        statement.setNull(i + 1, Types.NULL);
      } else if (value instanceof Integer number) {
        statement.setInt(i + 1, number);
      } else if (value instanceof Long number) {
        statement.setLong(i + 1, number);
      } else if (value instanceof String text) {
        statement.setString(i + 1, text);
      } else if (value instanceof byte[] bytes) {
        statement.setBytes(i + 1, bytes);
      } else if (value instanceof Duration time) {
        statement.setLong(i + 1, TimeUnit.MICROSECONDS.convert(time));
      } else if (value instanceof UUID uuid && bytesForUuids) {
        statement.setBytes(i + 1, bytes(uuid));
      } else {
        statement.setObject(i + 1, value);
      }
    }
  }

  /** The UUID in a column. */
  public @Nullable UUID uuid(ResultSet row, int index) throws SQLException {
    if (!bytesForUuids) {
      return row.getObject(index, UUID.class);
    }
    byte[] bytes = row.getBytes(index);
    if (bytes == null) {
      return null;
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    return new UUID(buffer.getLong(), buffer.getLong());
  }

  private static byte[] bytes(UUID uuid) {
    return ByteBuffer.allocate(16)
        .putLong(uuid.getMostSignificantBits())
        .putLong(uuid.getLeastSignificantBits())
        .array();
  }

  /** The moment that a column tells in microseconds since 1970. */
  public static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }
}
