package dev.holdfast.cache.internal;

import dev.holdfast.cache.CacheStore;
import dev.holdfast.internal.Excerpt;
import dev.holdfast.internal.sql.AutocommitRunner;
import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.transaction.DatabaseException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

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
  private final Dialect dialect;
  private final String table;
  private final int shards;
  private final String micros;
  private final String left;

  CacheTable(
      DataSource dataSource,
      Dialect dialect,
      String prefix,
      int shards,
      String micros,
      String left) {
    this.dataSource = dataSource;
    this.dialect = dialect;
    this.table = prefix + "holdfast_cache";
    this.shards = shards;
    this.micros = micros;
    this.left = left;
  }

  /** A statement of ours with the table and the clock filled in. */
  String text(String template) {
    return template
        .replace("{now+}", inUtc(dialect.nowPlusMicroseconds()))
        .replace("{now-}", inUtc(dialect.nowMinusMicroseconds()))
        .replace("{now}", inUtc(dialect.now()))
        .replace("{micros}", micros)
        .replace("{left(fresh_until)}", left.replace("%", "fresh_until"))
        .replace("{left(kept_until)}", left.replace("%", "kept_until"))
        .replace("{cache}", table);
  }

  /** The columns of MariaDB and MySQL have no zone, and sessions may differ in theirs. */
  private String inUtc(String time) {
    return dialect.family().equals("mysql")
        ? time.replace("CURRENT_TIMESTAMP(6)", "UTC_TIMESTAMP(6)")
        : time;
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

  /** A name as its column keeps it. */
  Object name(String name) {
    return dialect.family().equals("mysql") ? name.getBytes(StandardCharsets.UTF_8) : name;
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

  int update(Connection connection, String sql, @Nullable Object... values) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement, values);
      return statement.executeUpdate();
    }
  }

  /** Whether a query, which may change something, has answered with a row. */
  boolean any(Connection connection, String sql, @Nullable Object... values) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement, values);
      try (ResultSet row = statement.executeQuery()) {
        return row.next();
      }
    }
  }

  /** The row that a query for {@link #COLUMNS} answers with. */
  CacheStore.Found found(Connection connection, String sql, @Nullable Object... values)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement, values);
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          return CacheStore.Found.NOTHING;
        }
        byte[] body = row.getBytes(3);
        Duration kept = time(row.getLong(5));
        CacheStore.Entry entry =
            body == null || kept.isZero()
                ? null
                : new CacheStore.Entry(body, row.getLong(2), time(row.getLong(4)), kept);
        return new CacheStore.Found(row.getLong(1), entry);
      }
    }
  }

  private static Duration time(long micros) {
    return micros <= 0 ? Duration.ZERO : Duration.ofNanos(micros * 1000);
  }

  private static void bind(PreparedStatement statement, @Nullable Object... values)
      throws SQLException {
    for (int i = 0; i < values.length; i++) {
      Object value = values[i];
      if (value instanceof Duration time) {
        statement.setLong(i + 1, TimeUnit.MICROSECONDS.convert(time));
      } else if (value instanceof byte[] bytes) {
        statement.setBytes(i + 1, bytes);
      } else {
        statement.setObject(i + 1, value);
      }
    }
  }
}
