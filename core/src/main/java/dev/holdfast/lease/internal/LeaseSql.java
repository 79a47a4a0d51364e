package dev.holdfast.lease.internal;

import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseKind;
import dev.holdfast.sql.internal.TableSql;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * How one database is spoken to about leases.
 *
 * @param table how it is spoken to about tables of ours
 * @param left how many microseconds it is until {@code expires_at}
 * @param shards over how many shards the names are spread
 */
record LeaseSql(TableSql table, String left, int shards) {
  /** Which row: its key, as the conditions of all statements have it. */
  static final String KEY = " shard = ? AND kind = ? AND name = ? ";

  /** A statement of ours with the schema and the clock filled in. */
  String text(String template) {
    return table.text(
        template.replace("{micros}", table.micros(table.now())).replace("{left}", left));
  }

  /** The time in a column, in microseconds since 1970. */
  String micros(String column) {
    return table.micros(column);
  }

  int update(Connection connection, String sql, @Nullable Object... values) throws SQLException {
    return table.update(connection, sql, stored(values));
  }

  <T> List<T> query(
      Connection connection, String sql, TableSql.Reader<T> reader, @Nullable Object... values)
      throws SQLException {
    return table.query(connection, sql, reader, stored(values));
  }

  <T> Optional<T> first(
      Connection connection, String sql, TableSql.Reader<T> reader, @Nullable Object... values)
      throws SQLException {
    return table.first(connection, sql, reader, stored(values));
  }

  /** As {@link TableSql#last}: for statements that change a row and answer it. */
  <T> Optional<T> last(
      Connection connection, String sql, TableSql.Reader<T> reader, @Nullable Object... values)
      throws SQLException {
    return table.last(connection, sql, reader, stored(values));
  }

  private static @Nullable Object[] stored(@Nullable Object... values) {
    for (int i = 0; i < values.length; i++) {
      if (values[i] instanceof LeaseKind kind) {
        values[i] = KindCode.of(kind);
      }
    }
    return values;
  }

  /** A name as its column keeps it. */
  Object name(String name) {
    return inBytes() ? name.getBytes(StandardCharsets.UTF_8) : name;
  }

  String name(ResultSet row, int index) throws SQLException {
    return inBytes()
        ? new String(row.getBytes(index), StandardCharsets.UTF_8)
        : row.getString(index);
  }

  /** Where UUIDs are bytes, names are too. */
  private boolean inBytes() {
    return table.bytesForUuids();
  }

  @Nullable UUID owner(ResultSet row, int index) throws SQLException {
    return table.uuid(row, index);
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
