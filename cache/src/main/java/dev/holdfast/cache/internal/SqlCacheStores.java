package dev.holdfast.cache.internal;

import dev.holdfast.cache.CacheStore;
import dev.holdfast.internal.sql.Dialect;
import javax.sql.DataSource;

/** Finds the store of a database. */
public final class SqlCacheStores {
  private SqlCacheStores() {}

  /** The table in this schema, which is quoted and has a dot behind it, or is empty. */
  public static CacheStore of(DataSource dataSource, Dialect dialect, String prefix, int shards) {
    return switch (dialect.family()) {
      case "postgresql" ->
          new PostgreSqlCacheStore(
              new CacheTable(
                  dataSource,
                  dialect,
                  prefix,
                  shards,
                  "(extract(epoch from statement_timestamp()) * 1000000)::bigint",
                  "(extract(epoch from % - statement_timestamp()) * 1000000)::bigint"),
              dataSource);
      case "mysql" ->
          new PlainCacheStore(
              new CacheTable(
                  dataSource,
                  dialect,
                  prefix,
                  shards,
                  "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))",
                  "TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), %)"),
              " LIMIT 1000");
      default ->
          new PlainCacheStore(
              new CacheTable(
                  dataSource,
                  dialect,
                  prefix,
                  shards,
                  // DATEDIFF would not look at the zones, which differ between summer and winter
                  "CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP(6)) * 1000000 AS bigint)",
                  "CAST((EXTRACT(EPOCH FROM %) - EXTRACT(EPOCH FROM CURRENT_TIMESTAMP(6)))"
                      + " * 1000000 AS bigint)"),
              " FETCH FIRST 1000 ROWS ONLY");
    };
  }
}
