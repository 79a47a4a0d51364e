package dev.holdfast.cache.internal;

import dev.holdfast.cache.CacheStore;
import dev.holdfast.internal.Excerpt;
import dev.holdfast.internal.sql.AutocommitRunner;
import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.internal.sql.TableStatements;
import dev.holdfast.transaction.DatabaseException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.zip.CRC32C;
import javax.sql.DataSource;

/** The table of cached values, and how statements about it are run. */
final class CacheTable {
  /** Which row. */
  static final String OF_NAME = " WHERE shard = ? AND name = ?";

  /** What {@link #found} reads. */
  static final String COLUMNS =
      "generation, token, CASE WHEN kept_until > {now} THEN body END, {left(fresh_until)},"
          + " {left(kept_until)}";

  static final int CHUNK = 1000;

  private final DataSource dataSource;
  private final TableStatements table;
  private final int shards;

  CacheTable(DataSource dataSource, Dialect dialect, String prefix, int shards) {
    this.dataSource = dataSource;
    this.table = TableStatements.of(dialect, prefix);
    this.shards = shards;
  }

  /** A statement with the table and the clock filled in. */
  String text(String template) {
    return table.text(
        template
            .replace("{micros}", table.micros(table.now()))
            .replace("{left(fresh_until)}", table.microsUntil("fresh_until"))
            .replace("{left(kept_until)}", table.microsUntil("kept_until")));
  }

  int shards() {
    return shards;
  }

  /** Always the same for a name. */
  int shard(String name) {
    if (shards == 1) {
      return 0;
    }
    CRC32C hash = new CRC32C();
    hash.update(name.getBytes(StandardCharsets.UTF_8));
    return (int) (hash.getValue() % shards);
  }

  /** A name as its column stores it. */
  Object name(String name) {
    return table.name(name);
  }

  /** Statements that answer something. */
  interface Statements<T> {
    T run(Connection connection) throws SQLException;
  }

  /** Runs statements outside of any transaction, and again where the last one did nothing. */
  <T> T step(String doing, String name, Statements<T> step) {
    try {
      return AutocommitRunner.retrying(dataSource, step::run);
    } catch (SQLException e) {
      throw new DatabaseException(doing + " " + Excerpt.quoted(name), e);
    }
  }

  int update(Connection connection, String sql, Object... values) throws SQLException {
    return table.update(connection, sql, values);
  }

  /** Whether a query, which may change something, returns a row. */
  boolean any(Connection connection, String sql, Object... values) throws SQLException {
    return table.first(connection, sql, row -> true, values).isPresent();
  }

  /** The row that a query for {@link #COLUMNS} returns. */
  CacheStore.Found found(Connection connection, String sql, Object... values) throws SQLException {
    return table.first(connection, sql, CacheTable::found, values).orElse(CacheStore.Found.NOTHING);
  }

  private static CacheStore.Found found(ResultSet row) throws SQLException {
    byte[] body = row.getBytes(3);
    Duration kept = time(row.getLong(5));
    CacheStore.Entry entry =
        body == null || kept.isZero()
            ? null
            : new CacheStore.Entry(body, row.getLong(2), time(row.getLong(4)), kept);
    return new CacheStore.Found(row.getLong(1), entry);
  }

  private static Duration time(long micros) {
    return micros <= 0 ? Duration.ZERO : Duration.ofNanos(micros * 1000);
  }
}
