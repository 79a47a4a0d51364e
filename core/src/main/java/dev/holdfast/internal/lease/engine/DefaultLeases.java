package dev.holdfast.internal.lease.engine;

import dev.holdfast.internal.Excerpt;
import dev.holdfast.internal.Require;
import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseCallback;
import dev.holdfast.lease.LeaseGroup;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseNotAcquiredException;
import dev.holdfast.lease.LeaseRecord;
import dev.holdfast.lease.LeaseRequest;
import dev.holdfast.lease.Leases;
import dev.holdfast.lease.spi.LeaseStore;
import dev.holdfast.transaction.TransactionStateException;
import dev.holdfast.transaction.Transactions;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The leases of a store, as applications use them. Thread-safe. */
public final class DefaultLeases implements Leases {
  private static final int MAX_INSTANCE_NAME_LENGTH = 100;
  private static final int MAX_LIMIT = 1000;

  private static final long PRUNE_INTERVAL_NANOS = TimeUnit.HOURS.toNanos(1);
  private static final Duration IDLE_TIME = Duration.ofDays(1);

  private final LeaseStore store;
  private final @Nullable Transactions transactions;
  private final String instanceName;
  private final LeaseExecutors executors = new LeaseExecutors();
  private final LeaseAcquirer acquirer;
  private final LeaseReleaser releaser;
  private final ReentrantLeases reentrant = new ReentrantLeases();
  private final Map<UUID, DefaultLease> watched = new ConcurrentHashMap<>();
  private volatile long nextPrune;

  private DefaultLeases(
      LeaseStore store, String instanceName, @Nullable Transactions transactions) {
    this.store = store;
    this.transactions = transactions;
    this.instanceName =
        instanceName + "#" + Long.toString(OwnerIds.next().getLeastSignificantBits(), 36);
    LeaseWaiters waiters = new LeaseWaiters(store, this.instanceName, executors, this::revoked);
    this.releaser = new LeaseReleaser(store, this.instanceName, waiters, executors);
    this.acquirer = new LeaseAcquirer(store, this.instanceName, waiters, releaser);
    this.nextPrune = System.nanoTime() + ThreadLocalRandom.current().nextLong(PRUNE_INTERVAL_NANOS);
  }

  /**
   * The leases of a store.
   *
   * @param instanceName for operators; null for the host and the process id
   * @param transactions whose current transaction counts as open on its thread; null for none
   */
  public static Leases create(
      LeaseStore store, @Nullable String instanceName, @Nullable Transactions transactions) {
    return new DefaultLeases(
        Require.notNull(store, "store"),
        instanceName == null ? hostAndProcess() : checked(instanceName),
        transactions);
  }

  private static String hostAndProcess() {
    String process = Long.toString(ProcessHandle.current().pid());
    try {
      String host = InetAddress.getLocalHost().getHostName();
      return host.substring(0, Math.min(host.length(), 100)) + "/" + process;
    } catch (UnknownHostException e) {
      return process;
    }
  }

  private static String checked(String instanceName) {
    Require.notBlank(instanceName, "the instance name of leases");
    Require.that(
        instanceName.length() <= MAX_INSTANCE_NAME_LENGTH,
        () ->
            "the instance name of leases must have at most 100 characters, had "
                + instanceName.length());
    Require.that(
        instanceName.chars().noneMatch(Character::isISOControl),
        () ->
            "the instance name of leases must have no control characters: "
                + Excerpt.quoted(instanceName));
    Require.that(
        !instanceName.startsWith("*"),
        () ->
            "the instance name of leases must not begin with an asterisk: "
                + Excerpt.quoted(instanceName));
    // a lease name with the same characters must be storable
    return LeaseKey.exclusive(instanceName).name();
  }

  @Override
  public String instanceName() {
    return instanceName;
  }

  @Override
  public Lease acquire(LeaseRequest request) {
    Lease lease = acquire(checked(request), request.waitTimeout(), request.isAutoRenew());
    if (lease == null) {
      throw new LeaseNotAcquiredException(request, Thread.currentThread().isInterrupted());
    }
    return lease;
  }

  @Override
  public Optional<Lease> tryAcquire(LeaseRequest request) {
    return Optional.ofNullable(acquire(checked(request), Duration.ZERO, request.isAutoRenew()));
  }

  private static LeaseRequest checked(LeaseRequest request) {
    return Require.notNull(request, "the request of a lease");
  }

  /**
   * Returns null if other holders have the lease.
   *
   * @param wait how long to wait; overrides the wait timeout of the request
   * @param autoRenew whether to renew the lease; overrides the request
   */
  @Nullable Lease acquire(LeaseRequest request, Duration wait, boolean autoRenew) {
    if (!request.isAllowedInTransaction() && isTransactionOpen()) {
      throw new TransactionStateException(
          TransactionStateException.Reason.ACTIVE,
          "Cannot acquire the lease "
              + request.key()
              + ": a transaction is open on this thread and may not see what the last holder wrote."
              + " Acquire the lease before the transaction begins. If the lease does not protect"
              + " this transaction, use LeaseRequest.allowInTransaction().");
    }
    if (request.isReentrant()) {
      Lease again = reentrant.enter(request.target(), request.duration());
      if (again != null) {
        return again;
      }
    }
    Grant grant =
        wait.isZero()
            ? acquirer.now(request.target(), request.duration())
            : acquirer.within(request.target(), request.duration(), wait, request.isFair());
    pruneHourly();
    if (grant == null) {
      return null;
    }
    DefaultLease granted = new DefaultLease(this, grant, request.isAllowedInTransaction());
    if (autoRenew) {
      granted.watch(true);
    }
    return request.isReentrant() ? reentrant.first(granted) : granted;
  }

  /** Whether a transaction that Holdfast knows of is open on this thread. */
  boolean isTransactionOpen() {
    return Transactions.isOpenOnThisThread() || (transactions != null && transactions.isActive());
  }

  @Override
  public LeaseGroup acquireAll(Collection<LeaseRequest> requests) {
    return DefaultLeaseGroup.acquire(this, requests);
  }

  @Override
  public Optional<LeaseGroup> tryAcquireAll(Collection<LeaseRequest> requests) {
    return DefaultLeaseGroup.tryAcquire(this, requests);
  }

  @Override
  public <T extends @Nullable Object, X extends Exception> T call(
      LeaseRequest request, LeaseCallback<T, X> work) throws X {
    Require.notNull(work, "work");
    try (Lease lease = acquire(request)) {
      return work.execute(lease);
    }
  }

  @Override
  public <X extends Exception> void run(LeaseRequest request, LeaseCallback.WithoutResult<X> work)
      throws X {
    Require.notNull(work, "work");
    try (Lease lease = acquire(request)) {
      work.execute(lease);
    }
  }

  @Override
  public Optional<LeaseRecord> find(LeaseKey key) {
    return store.find(Require.notNull(key, "key"));
  }

  @Override
  public List<LeaseRecord> list(String prefix, @Nullable LeaseKey after, int limit) {
    if (!Require.notNull(prefix, "prefix").isEmpty()) {
      // databases reject unstorable characters, each in its own way
      LeaseKey.exclusive(prefix);
    }
    return store.list(prefix, after, Require.between(limit, 1, MAX_LIMIT, "limit"));
  }

  @Override
  public OptionalLong forceRelease(LeaseKey key) {
    return store.forceRelease(Require.notNull(key, "key"));
  }

  LeaseStore store() {
    return store;
  }

  LeaseExecutors executors() {
    return executors;
  }

  LeaseReleaser releaser() {
    return releaser;
  }

  void watched(DefaultLease lease) {
    watched.put(lease.ownership().ownerId(), lease);
  }

  void unwatched(DefaultLease lease) {
    watched.remove(lease.ownership().ownerId());
  }

  private void revoked(LeaseKey key, @Nullable UUID owner) {
    for (DefaultLease lease : watched.values()) {
      if (lease.key().equals(key) && (owner == null || owner.equals(lease.ownership().ownerId()))) {
        executors.background("checking a revoked lease", lease.key(), () -> loseUnlessHeld(lease));
      }
    }
  }

  /** The lease may have been granted after the revoked one: only the store knows. */
  private void loseUnlessHeld(DefaultLease lease) {
    boolean held =
        store.find(lease.key()).map(LeaseRecord::holders).orElse(List.of()).stream()
            .anyMatch(holder -> holder.token() == lease.token());
    if (!held) {
      lease.lose("an operator released it by force", null);
    }
  }

  private void pruneHourly() {
    long now = System.nanoTime();
    if (now - nextPrune > 0) {
      nextPrune = now + PRUNE_INTERVAL_NANOS;
      executors.background("pruning unused leases", null, () -> store.prune(IDLE_TIME));
    }
  }
}
