package dev.holdfast.internal.lease.store;

import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.internal.sql.TableStatements;
import dev.holdfast.lease.LeaseKey;
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
 * Runs the statements of leases on one database.
 *
 * @param left the expression for the microseconds until {@code expires_at}
 * @param shards over how many shards the names are spread
 */
public record LeaseSql(TableStatements table, String left, int shards) {
  /** For the tables in this schema, which is quoted and ends with a dot, or is empty. */
  public static LeaseSql of(Dialect dialect, String prefix, int shards) {
    String left =
        switch (dialect.family()) {
          case "postgresql" ->
              "(date_part('epoch', expires_at - statement_timestamp()) * 1000000)::bigint";
          case "mysql" -> "TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), expires_at)";
          default ->
              // DATEDIFF would ignore the zones, which differ between summer and winter
              "CAST((EXTRACT(EPOCH FROM expires_at) - EXTRACT(EPOCH FROM CURRENT_TIMESTAMP(6)))"
                  + " * 1000000 AS bigint)";
        };
    return new LeaseSql(TableStatements.of(dialect, prefix), left, shards);
  }

  /** The condition for the row of a key. */
  static final String KEY = " shard = ? AND kind = ? AND name = ? ";

  /** A statement with the schema and the clock filled in. */
  public String text(String template) {
    return table.text(
        template.replace("{micros}", table.micros(table.now())).replace("{left}", left));
  }

  /** The time in a column, in microseconds since 1970. */
  public String micros(String column) {
    return table.micros(column);
  }

  public int update(Connection connection, String sql, @Nullable Object... values)
      throws SQLException {
    return table.update(connection, sql, stored(values));
  }

  public <T> List<T> query(
      Connection connection,
      String sql,
      TableStatements.Reader<T> reader,
      @Nullable Object... values)
      throws SQLException {
    return table.query(connection, sql, reader, stored(values));
  }

  public <T> Optional<T> first(
      Connection connection,
      String sql,
      TableStatements.Reader<T> reader,
      @Nullable Object... values)
      throws SQLException {
    return table.first(connection, sql, reader, stored(values));
  }

  /** As {@link TableStatements#last}: for statements that change a row and return it. */
  <T> Optional<T> last(
      Connection connection,
      String sql,
      TableStatements.Reader<T> reader,
      @Nullable Object... values)
      throws SQLException {
    return table.last(connection, sql, reader, stored(values));
  }

  private static @Nullable Object[] stored(@Nullable Object... values) {
    for (int i = 0; i < values.length; i++) {
      if (values[i] instanceof LeaseKey.Kind kind) {
        values[i] = KindCode.of(kind);
      }
    }
    return values;
  }

  /** A name as its column stores it. */
  public Object name(String name) {
    return inBytes() ? name.getBytes(StandardCharsets.UTF_8) : name;
  }

  public String name(ResultSet row, int index) throws SQLException {
    return inBytes()
        ? new String(row.getBytes(index), StandardCharsets.UTF_8)
        : row.getString(index);
  }

  /** On databases that store UUIDs as bytes, names are bytes, too. */
  private boolean inBytes() {
    return table.bytesForUuids();
  }

  @Nullable UUID owner(ResultSet row, int index) throws SQLException {
    return table.uuid(row, index);
  }

  /** The shard of a name; always the same, because a lease is one row. */
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

  /** A duration from microseconds, at least zero. */
  static Duration time(long micros) {
    return micros <= 0 ? Duration.ZERO : Duration.ofNanos(micros * 1000);
  }
}
