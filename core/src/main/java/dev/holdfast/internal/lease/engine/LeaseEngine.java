package dev.holdfast.internal.lease.engine;

import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseRecord;
import dev.holdfast.lease.LeaseRequest;
import dev.holdfast.lease.spi.LeaseStore;
import dev.holdfast.transaction.TransactionStateException;
import dev.holdfast.transaction.Transactions;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What all leases of one instance in one store share. Thread-safe. */
final class LeaseEngine {
  private static final long PRUNE_INTERVAL_NANOS = TimeUnit.HOURS.toNanos(1);
  private static final Duration IDLE_TIME = Duration.ofDays(1);

  private final LeaseStore store;
  private final @Nullable Transactions outside;
  private final String instanceName;
  private final LeaseExecutors executors = new LeaseExecutors();
  private final LeaseWaiters waiters;
  private final OrphanedLeaseReleaser orphans;
  private final LeaseAcquirer acquirer;
  private final LeaseReleaser releaser;
  private final ReentrantLeases reentrant = new ReentrantLeases();
  private final Map<UUID, DefaultLease> watched = new ConcurrentHashMap<>();
  private volatile long nextPrune;

  /**
   * The leases of a store.
   *
   * @param name of the holder; null for host and process
   * @param outside whose current transaction counts as an open one; null for none
   */
  LeaseEngine(LeaseStore store, @Nullable String name, @Nullable Transactions outside) {
    this.store = store;
    this.outside = outside;
    this.instanceName =
        name(name) + "#" + Long.toString(OwnerIds.next().getLeastSignificantBits(), 36);
    this.waiters = new LeaseWaiters(store, instanceName, executors, this::revoked);
    this.orphans = new OrphanedLeaseReleaser(store, executors, waiters);
    this.acquirer = new LeaseAcquirer(store, instanceName, waiters, orphans);
    this.releaser = new LeaseReleaser(store, instanceName, waiters, orphans);
    this.nextPrune = System.nanoTime() + ThreadLocalRandom.current().nextLong(PRUNE_INTERVAL_NANOS);
  }

  private static String name(@Nullable String given) {
    if (given != null) {
      return given;
    }
    String process = Long.toString(ProcessHandle.current().pid());
    try {
      String host = InetAddress.getLocalHost().getHostName();
      return host.substring(0, Math.min(host.length(), 100)) + "/" + process;
    } catch (UnknownHostException e) {
      return process;
    }
  }

  LeaseStore store() {
    return store;
  }

  /** This instance as others see it. */
  String instanceName() {
    return instanceName;
  }

  LeaseExecutors executors() {
    return executors;
  }

  LeaseReleaser releaser() {
    return releaser;
  }

  OrphanedLeaseReleaser orphans() {
    return orphans;
  }

  /** Whether a transaction that Holdfast knows of is open on this thread. */
  boolean isTransactionOpen() {
    return Transactions.isOpenOnThisThread() || (outside != null && outside.isActive());
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
