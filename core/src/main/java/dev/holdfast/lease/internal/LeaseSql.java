package dev.holdfast.lease.internal;

import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseKind;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * How one database is spoken to about leases.
 *
 * @param prefix the quoted schema and a dot, or nothing
 * @param now the clock of the database, at the beginning of the statement
 * @param nowPlus the clock and so many microseconds, a parameter
 * @param micros the clock in microseconds since 1970
 * @param left how many microseconds it is until {@code expires_at}
 * @param inBytes whether names and owners are columns of bytes
 * @param shards over how many shards the names are spread
 */
record LeaseSql(
    String prefix,
    String now,
    String nowPlus,
    String micros,
    String left,
    boolean inBytes,
    int shards) {
  /** Which row: its key, as the conditions of all statements have it. */
  static final String KEY = " shard = ? AND kind = ? AND name = ? ";

  /** Makes something of the row that a result stands on. */
  interface Reader<T> {
    T read(ResultSet row) throws SQLException;
  }

  /** A statement of ours with the schema and the clock filled in. */
  String text(String template) {
    return template
        .replace("{now+}", nowPlus)
        .replace("{now}", now)
        .replace("{micros}", micros)
        .replace("{left}", left)
        .replace("{", prefix + "holdfast_")
        .replace("}", "");
  }

  /** The time in a column, in microseconds since 1970. */
  String micros(String column) {
    return micros.replace(now, column);
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
        List<T> all = new ArrayList<>(2);
        while (row.next()) {
          all.add(reader.read(row));
        }
        return all;
      }
    }
  }

  <T> Optional<T> first(
      Connection connection, String sql, Reader<T> reader, @Nullable Object... values)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement, values);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? Optional.of(reader.read(row)) : Optional.empty();
      }
    }
  }

  private void bind(PreparedStatement statement, @Nullable Object... values) throws SQLException {
    for (int i = 0; i < values.length; i++) {
      Object value = values[i];
      if (value == null) {
        statement.setNull(i + 1, Types.VARCHAR);
      } else if (value instanceof Integer number) {
        statement.setInt(i + 1, number);
      } else if (value instanceof Long number) {
        statement.setLong(i + 1, number);
      } else if (value instanceof Duration time) {
        statement.setLong(i + 1, TimeUnit.MICROSECONDS.convert(time));
      } else if (value instanceof LeaseKind kind) {
        statement.setInt(i + 1, KindCode.of(kind));
      } else if (value instanceof UUID owner && inBytes) {
        statement.setBytes(i + 1, bytes(owner));
      } else {
        statement.setObject(i + 1, value);
      }
    }
  }

  /** A name as its column keeps it. */
  Object name(String name) {
    return inBytes ? name.getBytes(StandardCharsets.UTF_8) : name;
  }

  String name(ResultSet row, int index) throws SQLException {
    return inBytes ? new String(row.getBytes(index), StandardCharsets.UTF_8) : row.getString(index);
  }

  private static byte[] bytes(UUID owner) {
    return ByteBuffer.allocate(16)
        .putLong(owner.getMostSignificantBits())
        .putLong(owner.getLeastSignificantBits())
        .array();
  }

  @Nullable UUID owner(ResultSet row, int index) throws SQLException {
    if (!inBytes) {
      return row.getObject(index, UUID.class);
    }
    byte[] bytes = row.getBytes(index);
    if (bytes == null) {
      return null;
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    return new UUID(buffer.getLong(), buffer.getLong());
  }

  /** Always the same for a name, since a lease is one row. */
  int shard(LeaseKey key) {
    return shard(key.name());
  }

  int shard(String name) {
    if (shards == 1) {
      return 0;
    }
    CRC32C hash = new CRC32C();
    hash.update(name.getBytes(StandardCharsets.UTF_8));
    return (int) (hash.getValue() % shards);
  }

  /** The time that a column or an expression tells in microseconds, at least zero. */
  static Duration time(long micros) {
    return micros <= 0 ? Duration.ZERO : Duration.ofNanos(micros * 1000);
  }
}
