package dev.holdfast.cache;

import dev.holdfast.cache.internal.SqlCacheStores;
import dev.holdfast.internal.Require;
import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.transaction.DatabaseException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Where the processes share cached values: the SPI of {@link SharedCache}, with atomic operations
 * of one round trip each.
 *
 * <p>What every store guarantees, and the contract suite in {@code holdfast-testing} proves:
 *
 * <ol>
 *   <li>The store's clock alone decides what is fresh and what is over; times are told as what is
 *       left of them.
 *   <li>A value with an older token never takes the place of one with a newer token.
 *   <li>A value that was loaded before an invalidation is never stored after it: each invalidation
 *       makes a new generation, and a value is stored only into the generation that its loader has
 *       seen. Generations do not repeat, and are remembered for {@link #MEMORY} at least.
 *   <li>What a store forgets on its own, or loses, is as if it had never been there, with the
 *       generation 0. A value of a forgotten generation is refused.
 * </ol>
 *
 * <p>Names have 1 to {@link #MAX_NAME_LENGTH} characters of any script without U+0000 and single
 * surrogates, and are compared character for character. A failure is a {@link
 * dev.holdfast.HoldfastException}. Implementations are thread-safe, take no part in a transaction
 * of the caller, and wait for nothing but the store's answer.
 */
public interface CacheStore {
  /** For how long an invalidation is remembered at least: no load may take longer. */
  Duration MEMORY = Duration.ofHours(1);

  /** The longest name, in UTF-16 characters. */
  int MAX_NAME_LENGTH = 290;

  /** The largest value, in bytes. */
  int MAX_BODY_SIZE = 8 * 1024 * 1024;

  /**
   * A value as it is stored.
   *
   * @param freshFor how long it still is fresh; zero where it is stale
   * @param keptFor how long it still is there, more than zero and at least as long as it is fresh
   */
  @SuppressWarnings("ArrayRecordComponent") // too large to copy, and never compared
  record Entry(byte[] body, long token, Duration freshFor, Duration keptFor) {}

  /**
   * What is known of a name.
   *
   * @param generation of the newest invalidation; 0 where there is none
   * @param entry null where there is no value
   */
  record Found(long generation, @Nullable Entry entry) {
    /** Of what was never stored. */
    public static final Found NOTHING = new Found(0, null);
  }

  /**
   * A value to store.
   *
   * @param token of the lease under which it was loaded
   * @param generation as it was found after the lease was acquired, before the load
   * @param freshFor from now; zero for a value that is stale at once
   * @param keepFor from now, at least as long; zero where only what was there is to be removed
   */
  @SuppressWarnings("ArrayRecordComponent")
  record Value(
      String name, byte[] body, long token, long generation, Duration freshFor, Duration keepFor) {}

  /** Hears of changes; called by threads of the store, so it must be quick. */
  interface Listener {
    /** A value was stored, or its load has ended without one, while somebody waited for it. */
    void changed(String name);

    /** A value was invalidated. */
    void invalidated(String name);

    /** Begins to hear, or hears again: what was before may have been missed. */
    void missed();
  }

  /** A standing order to hear of changes. */
  interface Subscription extends AutoCloseable {
    /** Whether it is known to work now; always false where the store can tell nobody. */
    boolean hears();

    /** Ends it. Never fails, and waits for nothing. */
    @Override
    void close();
  }

  /**
   * In Holdfast's tables, in the current schema. Connects once, to find out the database. Make one
   * store per database and keep it: its caches share what it needs, which on PostgreSQL is one
   * connection to listen by, for as long as they are used, unless the pool has fewer than 4.
   *
   * @throws dev.holdfast.transaction.DatabaseException where it is not a supported one
   * @throws DatabaseException where there is no connection to it
   */
  static CacheStore using(DataSource dataSource) {
    Require.notNull(dataSource, "dataSource");
    try (Connection connection = dataSource.getConnection()) {
      return in(dataSource, Dialect.of(connection), null, 1);
    } catch (SQLException e) {
      throw new DatabaseException("connecting to the database of the cache", e);
    }
  }

  /**
   * In Holdfast's tables, in a schema and shards as Holdfast has them.
   *
   * @param schema the name of the schema in which Holdfast's tables are; null for the current one
   * @param shards see {@link dev.holdfast.Holdfast.Builder#shards}
   */
  static CacheStore in(
      DataSource dataSource, Dialect dialect, @Nullable String schema, int shards) {
    Require.notNull(dataSource, "dataSource");
    Require.notNull(dialect, "dialect");
    Require.between(shards, 1, 1024, "shards");
    String prefix = schema == null ? "" : dialect.quote(schema) + ".";
    return SqlCacheStores.of(dataSource, dialect, prefix, shards);
  }

  /** What is known of a name now. */
  Found get(String name);

  /**
   * As {@link #get}, and leaves a mark in the same step: for so long, whoever {@linkplain #put
   * stores} a value of this name or {@linkplain #tell tells} of it also tells those who listen. A
   * store that always tells them needs no mark.
   */
  Found watch(String name, Duration mark);

  /**
   * Stores a value, unless there is one with a newer token or the name has another generation by
   * now. May be repeated after an answer was lost.
   *
   * @return whether it was stored
   */
  boolean put(Value value);

  /** Removes the value, begins a new generation, and tells all who listen. */
  void invalidate(String name);

  /** Tells those who wait that a load has ended without a value, and that it is their turn. */
  void tell(String name);

  /**
   * Hears of changes of all names, from some moment on, of which {@link
   * NotificationListener#missed} tells.
   */
  Subscription subscribe(Listener listener);

  /**
   * Forgets what is over.
   *
   * @return how many names were forgotten; 0 also where the store forgets by itself
   */
  default int forget() {
    return 0;
  }
}
