package dev.holdfast.cache.internal;

import dev.holdfast.cache.CacheStore;
import dev.holdfast.internal.sql.PostgreSqlListener;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * Cached values on PostgreSQL: each step is one statement, which also notifies. Of a new value only
 * where somebody waits for it, because commits that notify wait for each other.
 *
 * <p>{@code waiting_until} of the new row is the clock in each upsert, because a distributed
 * database takes times there only by {@code VALUES} and {@code excluded}.
 */
final class PostgreSqlCacheStore implements CacheStore {
  private static final String WATCH =
      """
      INSERT INTO {cache} AS c (shard, name, generation, token, fresh_until, kept_until, \
      waiting_until) VALUES (?, ?, 0, 0, {now}, {now}, {now+}) ON CONFLICT (shard, name) \
      DO UPDATE SET waiting_until = excluded.waiting_until RETURNING\s"""
          + CacheTable.COLUMNS;

  private static final String TOLD =
      ") SELECT CASE WHEN waits THEN pg_notify('"
          + CacheChangeListener.CHANNEL
          + "', 'C' || ?::text)"
          + " END FROM stored";

  private static final String STORE =
      "WITH stored AS (UPDATE {cache} SET body = ?, token = ?, fresh_until = {now+}, kept_until ="
          + " {now+}"
          + CacheTable.OF_NAME
          + " AND generation = ? AND token <= ? RETURNING waiting_until > {now} AS waits"
          + TOLD;

  private static final String STORE_FIRST =
      """
      WITH stored AS (INSERT INTO {cache} AS c (shard, name, generation, token, body, fresh_until, \
      kept_until, waiting_until) VALUES (?, ?, 0, ?, ?, {now+}, {now+}, {now}) \
      ON CONFLICT (shard, name) DO UPDATE SET token = excluded.token, body = excluded.body, \
      fresh_until = excluded.fresh_until, kept_until = excluded.kept_until \
      WHERE c.generation = 0 AND c.token <= excluded.token \
      RETURNING c.waiting_until > {now} AS waits"""
          + TOLD;

  private static final String INVALIDATE =
      """
      WITH gone AS (INSERT INTO {cache} AS c (shard, name, generation, token, fresh_until, \
      kept_until, waiting_until) VALUES (?, ?, {micros}, 0, {now}, {now}, {now}) \
      ON CONFLICT (shard, name) DO UPDATE SET \
      generation = GREATEST(c.generation + 1, excluded.generation), body = NULL, \
      fresh_until = excluded.fresh_until, kept_until = excluded.kept_until RETURNING 1) \
      SELECT pg_notify('"""
          + CacheChangeListener.CHANNEL
          + "', 'I' || ?::text) FROM gone";

  private static final String TELL =
      "SELECT pg_notify('"
          + CacheChangeListener.CHANNEL
          + "', 'C' || ?::text) FROM {cache}"
          + CacheTable.OF_NAME
          + " AND waiting_until > {now}";

  private static final String FORGET =
      """
      DELETE FROM {cache} WHERE shard = ? AND kept_until < {now+} AND name IN (SELECT name \
      FROM {cache} WHERE shard = ? AND kept_until < {now+} LIMIT 1000)""";

  private final CacheTable table;
  private final DataSource dataSource;
  private final CacheChangeListener listening;
  private final String get;
  private final String watch;
  private final String store;
  private final String storeFirst;
  private final String invalidate;
  private final String tell;
  private final String forget;

  PostgreSqlCacheStore(CacheTable table, DataSource dataSource) {
    this.table = table;
    this.dataSource = dataSource;
    this.listening = new CacheChangeListener(dataSource);
    this.get = table.text("SELECT " + CacheTable.COLUMNS + " FROM {cache}" + CacheTable.OF_NAME);
    this.watch = table.text(WATCH);
    this.store = table.text(STORE);
    this.storeFirst = table.text(STORE_FIRST);
    this.invalidate = table.text(INVALIDATE);
    this.tell = table.text(TELL);
    this.forget = table.text(FORGET);
  }

  @Override
  public Found get(String name) {
    return table.step(
        "reading the cached value of",
        name,
        connection -> table.found(connection, get, table.shard(name), name));
  }

  @Override
  public Found watch(String name, Duration mark) {
    return table.step(
        "waiting for the cached value of",
        name,
        connection -> table.found(connection, watch, table.shard(name), name, mark));
  }

  @Override
  public boolean put(Value value) {
    String name = value.name();
    int shard = table.shard(name);
    return table.step(
        "caching the value of",
        name,
        connection ->
            value.generation() == 0
                ? table.any(
                    connection,
                    storeFirst,
                    shard,
                    name,
                    value.token(),
                    value.body(),
                    value.freshFor(),
                    value.keepFor(),
                    name)
                : table.any(
                    connection,
                    store,
                    value.body(),
                    value.token(),
                    value.freshFor(),
                    value.keepFor(),
                    shard,
                    name,
                    value.generation(),
                    value.token(),
                    name));
  }

  @Override
  public void invalidate(String name) {
    table.step(
        "invalidating the cached value of",
        name,
        connection -> table.any(connection, invalidate, table.shard(name), name, name));
  }

  @Override
  public void tell(String name) {
    table.step(
        "telling of the cached value of",
        name,
        connection -> table.any(connection, tell, name, table.shard(name), name));
  }

  @Override
  public Subscription subscribe(Listener listener) {
    // listening takes a connection, and another for a moment: a small pool has none to spare
    return PostgreSqlListener.isAffordable(dataSource)
        ? listening.subscribe(listener)
        : PlainCacheStore.DEAF;
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
                connection ->
                    table.update(
                        connection, forget, ofShard, MEMORY.negated(), ofShard, MEMORY.negated()));
        forgotten += chunk;
      } while (chunk >= CacheTable.CHUNK);
    }
    return forgotten;
  }
}
