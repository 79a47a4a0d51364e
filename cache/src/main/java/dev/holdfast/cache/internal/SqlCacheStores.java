package dev.holdfast.cache.internal;

import dev.holdfast.cache.CacheStore;
import dev.holdfast.internal.sql.Dialect;
import javax.sql.DataSource;

/** Finds the store of a database. */
public final class SqlCacheStores {
  private SqlCacheStores() {}

  /** The table in this schema, which is quoted and ends with a dot, or is empty. */
  public static CacheStore of(DataSource dataSource, Dialect dialect, String prefix, int shards) {
    CacheTable table = new CacheTable(dataSource, dialect, prefix, shards);
    return dialect.choose(
        () -> new PostgreSqlCacheStore(table, dataSource),
        () -> new PlainCacheStore(table, dialect),
        () -> new PlainCacheStore(table, dialect));
  }
}
