package dev.holdfast.internal.lease.store;

import dev.holdfast.internal.Require;
import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseRecord;
import dev.holdfast.lease.spi.LeaseStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The lease store in the tables of a database. An exclusive lease is one row, changed by single
 * statements outside of any transaction. {@link SharedLeaseStore} does read/write leases,
 * semaphores and fair leases.
 */
public final class SqlLeaseStore implements LeaseStore {
  private final ExclusiveLeases exclusive;
  private final SharedLeaseStore shared;
  private final LeaseQueries queries;
  private final ReleaseNotifier notifier;
  private final FenceRetention fence;

  private SqlLeaseStore(LeaseTables tables, ExclusiveLeases exclusive, ReleaseNotifier notifier) {
    this.exclusive = exclusive;
    this.shared = new SharedLeaseStore(tables, exclusive, notifier);
    this.queries = new LeaseQueries(tables);
    this.notifier = notifier;
    this.fence = new FenceRetention(tables);
  }

  /** As {@link #create(DataSource, DataSource, Dialect, String, int)}, with one data source. */
  public static LeaseStore create(
      DataSource dataSource, Dialect dialect, @Nullable String schema, int shards) {
    return create(dataSource, dataSource, dialect, schema, shards);
  }

  /**
   * The store of a database.
   *
   * @param renewals the data source for renewals: another one of the same database and current
   *     schema, so that leases are renewed while the work uses its whole pool; or the same
   * @param schema the schema of Holdfast's tables; null for the current one
   * @param shards over how many shards the names are spread
   */
  public static LeaseStore create(
      DataSource dataSource,
      DataSource renewals,
      Dialect dialect,
      @Nullable String schema,
      int shards) {
    Require.notNull(dataSource, "dataSource");
    Require.notNull(renewals, "the data source for renewals");
    LeaseTables tables =
        new LeaseTables(dataSource, renewals, dialect, schema, shards, "the lease");
    return dialect.choose(
        () ->
            new SqlLeaseStore(
                tables,
                new PostgreSqlExclusiveLeases(tables),
                new PostgreSqlReleaseNotifier(dataSource)),
        () -> new SqlLeaseStore(tables, new MySqlExclusiveLeases(tables), ReleaseNotifier.NONE),
        () -> new SqlLeaseStore(tables, new H2ExclusiveLeases(tables), ReleaseNotifier.NONE));
  }

  private static boolean isExclusive(LeaseKey key) {
    return key.kind() == LeaseKey.Kind.EXCLUSIVE;
  }

  @Override
  public AcquireResult acquire(Request request) {
    WaitRegistration waiting = request.waitRegistration();
    return isExclusive(request.key()) && (waiting == null || !waiting.queued())
        ? exclusive.acquire(request)
        : shared.acquire(request);
  }

  @Override
  public Lease.RenewResult renew(Ownership ownership, Duration duration) {
    boolean renewed =
        isExclusive(ownership.key())
            ? exclusive.renew(ownership, duration)
            : shared.renewShared(ownership, duration);
    return renewed ? Lease.RenewResult.RENEWED : Lease.RenewResult.LOST;
  }

  @Override
  public ReleaseResult release(Ownership ownership, @Nullable Successor successor) {
    if (!isExclusive(ownership.key())) {
      return shared.releaseShared(ownership);
    }
    ReleaseResult result =
        successor == null ? exclusive.release(ownership) : exclusive.handOver(ownership, successor);
    if (!(result instanceof ReleaseResult.Lost)) {
      return result;
    }
    Optional<ReleaseResult> previous = queries.previousResult(ownership, successor);
    if (previous.isEmpty()) {
      // this owner may only have had a place in the queue
      shared.leave(ownership);
    }
    return previous.orElse(result);
  }

  @Override
  public void cancelWait(LeaseKey key, String instanceName) {
    exclusive.cancelWait(key, instanceName);
  }

  @Override
  public OptionalLong forceRelease(LeaseKey key) {
    return isExclusive(key) ? exclusive.forceRelease(key) : shared.forceReleaseShared(key);
  }

  @Override
  public Optional<LeaseRecord> find(LeaseKey key) {
    return queries.find(key);
  }

  @Override
  public List<LeaseRecord> list(String prefix, @Nullable LeaseKey after, int limit) {
    return queries.list(prefix, after, limit);
  }

  @Override
  public Subscription subscribe(Listener listener) {
    return notifier.subscribe(listener);
  }

  @Override
  public int prune(Duration idleTime) {
    int pruned = queries.prune(idleTime);
    fence.pruneDaily();
    return pruned;
  }
}
