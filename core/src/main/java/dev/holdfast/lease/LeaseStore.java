package dev.holdfast.lease;

import dev.holdfast.internal.Require;
import dev.holdfast.lease.internal.LeaseStores;
import dev.holdfast.sql.Dialect;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Where leases are kept: the SPI of {@code Leases}, with atomic operations of one round trip each.
 *
 * <p>What every store guarantees, and the contract suite in {@code holdfast-testing} proves:
 *
 * <ol>
 *   <li>The store's clock alone decides what has run out. No time of the application is compared
 *       with a stored one.
 *   <li>The permits of all holders of a key that have not run out never exceed the capacity.
 *   <li>Each grant has a token greater than all before it of its key: {@code max(last + 1, server
 *       time in µs)}. A renewal, and an acquisition repeated by the same owner while it holds, do
 *       not change the token.
 *   <li>Everything is checked against the owner, a random id of one acquisition. What has run out,
 *       was released or taken away is never brought back by a {@linkplain #renew renewal}.
 *   <li>{@link #acquire} and {@link #release} may be repeated with the same arguments after an
 *       answer was lost.
 * </ol>
 *
 * <p>Queues: among requests with a {@linkplain Waiting#queued() queue}, a request is granted only
 * when no live one is queued before it; for {@link LeaseKind#READ_WRITE} and {@link
 * LeaseKind#SEMAPHORE} all requests keep to the queue, also those that do not wait, so that nobody
 * starves. For {@link LeaseKind#EXCLUSIVE} requests without a queue pass by it.
 *
 * <p>A failure is a {@link dev.holdfast.HoldfastException}, whose {@code retryable()} says whether
 * repeating may help; after any failure the engine takes the outcome for unknown. Implementations
 * are thread-safe and do not wait for anything but the store's answer.
 */
public interface LeaseStore {
  /**
   * The store in the tables of a database.
   *
   * @param schema the name of the schema in which Holdfast's tables are; null for the current one
   * @param shards see {@link dev.holdfast.Holdfast.Builder#shards}
   */
  static LeaseStore in(
      DataSource dataSource, Dialect dialect, @Nullable String schema, int shards) {
    return in(dataSource, dataSource, dialect, schema, shards);
  }

  /**
   * As {@link #in(DataSource, Dialect, String, int)}, with connections apart for renewals: while
   * the work has all connections of its pool, leases are still renewed. One or two connections are
   * enough for a few leases; up to eight renewals run at a time.
   *
   * @param renewals another data source of the same database, with the same current schema
   */
  static LeaseStore in(
      DataSource dataSource,
      DataSource renewals,
      Dialect dialect,
      @Nullable String schema,
      int shards) {
    Require.notNull(dataSource, "dataSource");
    Require.notNull(renewals, "the data source for renewals");
    String prefix = schema == null ? "" : dialect.quote(schema) + ".";
    return LeaseStores.of(dataSource, renewals, dialect, prefix, shards);
  }

  /**
   * One acquisition.
   *
   * @param owner the random id of this acquisition; the same one in each repetition
   * @param holder who asks, for people to read, and different for each process
   * @param lease for how long, from the moment of the grant by the store's clock
   * @param waiting how it waits where it is not granted; null where it does not
   */
  record Request(
      LeaseTarget target, UUID owner, String holder, Duration lease, @Nullable Waiting waiting) {
    public LeaseKey key() {
      return target.key();
    }
  }

  /**
   * How a request waits. The store keeps a mark, or a place in the queue, until this time has
   * passed without a repetition of the request; the next {@link #release} then tells those who
   * {@link #subscribe}. The engine repeats in time.
   *
   * @param mark for how long the mark or the place in the queue lasts, from now
   * @param queued whether in the order of arrival, by a queue in the store
   * @param atMost how long the caller still waits: a store that itself has to wait, such as for a
   *     row lock, does not wait longer than this, to within a second
   */
  record Waiting(Duration mark, boolean queued, Duration atMost) {
    /** Waiting for as long as the mark lasts. */
    public Waiting(Duration mark, boolean queued) {
      this(mark, queued, mark);
    }
  }

  /** What became of an acquisition. */
  sealed interface Acquired {
    /**
     * It is held, from the moment of the grant for the whole lease; also where the same owner had
     * it already, which then lasts from now.
     */
    record Granted(long token) implements Acquired {}

    /**
     * It was not granted.
     *
     * @param untilChange after this time, by what the store knows, something may have changed
     *     without a release: the first holder runs out, or a place in the queue before this one;
     *     never negative
     */
    record Taken(Duration untilChange) implements Acquired {}
  }

  /** Whose lease: the key and the owner that it was granted to. */
  record Hold(LeaseKey key, UUID owner) {}

  /**
   * Who shall have the lease next, in the same step as its release. Only for {@link
   * LeaseKind#EXCLUSIVE}, and without a queue.
   *
   * @param next another acquisition of the same key, by the same process; what it waits for does
   *     not matter
   * @param unlessOthersWait whether it is released instead where another process has a mark: one
   *     with another {@link Request#holder()}
   */
  record Successor(Request next, boolean unlessOthersWait) {}

  /** What became of a release. */
  sealed interface Freed {
    /** It was held, and is free now; those who wait elsewhere are told. */
    record Released() implements Freed {}

    /** It was held, and its successor has it now with this token; nobody is told. */
    record HandedOver(long token) implements Freed {}

    /** It was not held by this owner any more; nothing was handed over. */
    record WasLost() implements Freed {}
  }

  /** Hears of releases; called by threads of the store, so it must be quick. */
  interface Listener {
    /**
     * A lease was released while somebody waited.
     *
     * @param next whose turn it is, where the store knows it from the queue: others need not ask;
     *     null where anybody may ask
     */
    void released(LeaseKey key, @Nullable UUID next);

    /** A lease was released, and for a moment only the process of this name may have it. */
    default void offered(LeaseKey key, String holder) {
      released(key, null);
    }

    /** A lease was taken away by force; null stands for all holders of the key. */
    void revoked(LeaseKey key, @Nullable UUID owner);

    /** Something may have been missed, such as while there was no connection: all should look. */
    void missed();
  }

  /** A standing order to hear of releases, of which a process has one at most. */
  interface Subscription extends AutoCloseable {
    /**
     * Whether it is known to work now. While it is not, the engine asks from time to time; so it
     * does where the store can tell nobody, and this is always false.
     */
    boolean hears();

    /** Whether it will ever hear; then it takes only a moment until it does. */
    default boolean canHear() {
      return true;
    }

    /** Ends it, and gives back what it needs. Never fails, and waits for nothing. */
    @Override
    void close();
  }

  /**
   * Grants the request where it can be granted, also where its owner is a holder already; otherwise
   * leaves a mark or a place in the queue where it waits.
   */
  Acquired acquire(Request request);

  /**
   * Prolongs a lease that is held and has not run out, to this time from now. A store may decide by
   * the moment at which it received the request, and so prolong a lease that ran out while the
   * request waited for a row lock, unless another owner has acquired it since. The engine takes an
   * answer after the end for a loss, and releases it.
   */
  RenewResult renew(Hold hold, Duration lease);

  /**
   * Ends what this owner has: the lease, or its place in the queue. A lease that has run out, even
   * where nobody has taken it since, was lost; so is one that this owner never had.
   *
   * <p>A repetition after the answer was lost answers as before, unless somebody has got the lease
   * in between. A store may answer {@link Freed.Released} though there was a successor, which then
   * has to acquire.
   */
  Freed release(Hold hold, @Nullable Successor successor);

  /**
   * A process does not wait any more for a lease that it left a mark for, outside of the queue.
   * What it would be told or offered goes to others.
   */
  default void withdraw(LeaseKey key, String holder) {}

  /**
   * Takes the lease from all its holders, and raises the token, so that it is greater than each of
   * theirs. Those who wait and those who listen are told.
   *
   * @return the raised token, or nothing where nobody held it
   */
  OptionalLong forceRelease(LeaseKey key);

  /** How a lease is; nothing where it is unknown, or was not used for long. */
  Optional<LeaseRecord> find(LeaseKey key);

  /**
   * The leases that are held or waited for, in the order of their keys.
   *
   * @param prefix with what their names begin; empty for all
   * @param after only those after this key; null for the first ones
   * @param most how many at most
   */
  List<LeaseRecord> list(String prefix, @Nullable LeaseKey after, int most);

  /** Hears of releases, from some moment on, of which {@link Listener#missed()} tells. */
  Subscription subscribe(Listener listener);

  /**
   * Forgets what nobody has held or waited for, for so long. Tokens of a forgotten key still grow,
   * as long as the server's clock does not step back by more than that. A store that has the table
   * of the {@link Fence} also deletes the tokens of resources whose fence was not passed for 30
   * days.
   *
   * @return how many keys were forgotten; 0 also where the store forgets by itself
   */
  default int forget(Duration idle) {
    return 0;
  }
}
