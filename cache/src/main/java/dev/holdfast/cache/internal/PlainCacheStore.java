package dev.holdfast.cache.internal;

import dev.holdfast.cache.CacheStore;
import dev.holdfast.internal.sql.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/**
 * Cached values on MariaDB, MySQL and H2, which cannot tell anybody anything: who waits asks. A row
 * is changed where it is there, and inserted where it is not; where two insert it, one of them
 * begins anew.
 */
final class PlainCacheStore implements CacheStore {
  /** Hears nothing. */
  static final Subscription DEAF =
      new Subscription() {
        @Override
        public boolean hears() {
          return false;
        }

        @Override
        public void close() {}
      };

  private final CacheTable table;
  private final String get;
  private final String store;
  private final String insert;
  private final String invalidate;
  private final String insertInvalid;
  private final String forget;

  PlainCacheStore(CacheTable table, Dialect dialect) {
    this.table = table;
    this.get = table.text("SELECT " + CacheTable.COLUMNS + " FROM {cache}" + CacheTable.OF_NAME);
    this.store =
        table.text(
            "UPDATE {cache} SET body = ?, token = ?, fresh_until = {now+}, kept_until = {now+}"
                + CacheTable.OF_NAME
                + " AND generation = ? AND token <= ?");
    this.insert =
        table.text(
            "INSERT INTO {cache} (shard, name, generation, token, body, fresh_until, kept_until,"
                + " waiting_until) VALUES (?, ?, 0, ?, ?, {now+}, {now+}, {now})");
    this.invalidate =
        table.text(
            "UPDATE {cache} SET generation = GREATEST(generation + 1, {micros}), body = NULL,"
                + " fresh_until = {now}, kept_until = {now}"
                + CacheTable.OF_NAME);
    this.insertInvalid =
        table.text(
            "INSERT INTO {cache} (shard, name, generation, token, fresh_until, kept_until,"
                + " waiting_until) VALUES (?, ?, {micros}, 0, {now}, {now}, {now})");
    this.forget =
        table.text(
            "DELETE FROM {cache} WHERE shard = ? AND kept_until < {now+}"
                + dialect.limit(CacheTable.CHUNK));
  }

  @Override
  public Found get(String name) {
    return table.step(
        "reading the cached value of",
        name,
        connection -> table.found(connection, get, table.shard(name), table.name(name)));
  }

  @Override
  public Found watch(String name, Duration mark) {
    return get(name);
  }

  @Override
  public boolean put(Value value) {
    int shard = table.shard(value.name());
    Object name = table.name(value.name());
    return table.step(
        "caching the value of",
        value.name(),
        connection -> {
          if (change(connection, value, shard, name)) {
            return true;
          }
          if (value.generation() != 0) {
            return false;
          }
          if (table.any(connection, get, shard, name)) {
            // it may have come since, and with an older token
            return change(connection, value, shard, name);
          }
          return table.update(
                  connection,
                  insert,
                  shard,
                  name,
                  value.token(),
                  value.body(),
                  value.freshFor(),
                  value.keepFor())
              > 0;
        });
  }

  private boolean change(Connection connection, Value value, int shard, Object name)
      throws SQLException {
    return table.update(
            connection,
            store,
            value.body(),
            value.token(),
            value.freshFor(),
            value.keepFor(),
            shard,
            name,
            value.generation(),
            value.token())
        > 0;
  }

  @Override
  public void invalidate(String name) {
    int shard = table.shard(name);
    Object key = table.name(name);
    table.step(
        "invalidating the cached value of",
        name,
        connection -> {
          int changed = table.update(connection, invalidate, shard, key);
          return changed > 0 ? changed : table.update(connection, insertInvalid, shard, key);
        });
  }

  @Override
  public void tell(String name) {}

  @Override
  public Subscription subscribe(Listener listener) {
    return DEAF;
  }

  @Override
  public int forget() {
    int forgotten = 0;
    for (int shard = 0; shard < table.shards(); shard++) {
      int ofShard = shard;
      int chunk;
      do {
        chunk =
            table.step(
                "forgetting cached values of the shard",
                Integer.toString(shard),
                connection -> table.update(connection, forget, ofShard, MEMORY.negated()));
        forgotten += chunk;
      } while (chunk >= CacheTable.CHUNK);
    }
    return forgotten;
  }
}
