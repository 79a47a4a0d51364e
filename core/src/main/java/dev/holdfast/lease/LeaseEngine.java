package dev.holdfast.lease;

import dev.holdfast.sql.Transactions;
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

/** What the leases of one process on one store share. Thread-safe. */
final class LeaseEngine {
  private static final long FORGET_EVERY_NANOS = TimeUnit.HOURS.toNanos(1);
  private static final Duration IDLE = Duration.ofDays(1);

  private final LeaseStore store;
  private final @Nullable String name;
  private final @Nullable Transactions outside;
  private final String holder;
  private final Keeper keeper = new Keeper();
  private final WaitingRoom room;
  private final Orphans orphans;
  private final Acquiring acquiring;
  private final Releasing releasing;
  private final Reentry reentry = new Reentry();
  private final Map<UUID, DefaultLease> watched = new ConcurrentHashMap<>();
  private volatile long nextForgetting;

  /**
   * The leases of a store.
   *
   * @param name of the holder; null for host and process
   * @param outside whose current transaction counts as an open one; null for none
   */
  LeaseEngine(LeaseStore store, @Nullable String name, @Nullable Transactions outside) {
    this.store = store;
    this.name = name;
    this.outside = outside;
    this.holder = name(name) + "#" + Long.toString(Owners.next().getLeastSignificantBits(), 36);
    this.room = new WaitingRoom(store, holder, keeper, this::revoked);
    this.orphans = new Orphans(store, keeper, room);
    this.acquiring = new Acquiring(store, holder, room, orphans);
    this.releasing = new Releasing(store, holder, room, orphans);
    this.nextForgetting =
        System.nanoTime() + ThreadLocalRandom.current().nextLong(FORGET_EVERY_NANOS);
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

  LeaseEngine named(String other) {
    return new LeaseEngine(store, other, outside);
  }

  LeaseEngine outside(Transactions transactions) {
    return new LeaseEngine(store, name, transactions);
  }

  LeaseStore store() {
    return store;
  }

  /** This process, as others see it. */
  String holder() {
    return holder;
  }

  Keeper keeper() {
    return keeper;
  }

  Releasing releasing() {
    return releasing;
  }

  Orphans orphans() {
    return orphans;
  }

  /** Whether a transaction that Holdfast knows of is open on this thread. */
  boolean isTransactionOpen() {
    return Transactions.isOpenOnThisThread() || (outside != null && outside.isActive());
  }

  /** Null where others have it. */
  @Nullable Lease acquire(
      LeaseTarget target, Duration lease, Duration wait, LeaseSettings settings) {
    if (!settings.insideTransactions() && isTransactionOpen()) {
      throw LeaseInTransactionException.acquiring(target);
    }
    if (settings.reentrant()) {
      Lease again = reentry.enter(target, lease);
      if (again != null) {
        return again;
      }
    }
    Grant grant =
        wait.isZero()
            ? acquiring.now(target, lease)
            : acquiring.within(target, lease, wait, settings.fair());
    forgetFromTimeToTime();
    if (grant == null) {
      return null;
    }
    DefaultLease granted = new DefaultLease(this, grant, settings.insideTransactions());
    if (settings.renewing()) {
      granted.watch(true);
    }
    return settings.reentrant() ? reentry.first(granted) : granted;
  }

  void watched(DefaultLease lease) {
    watched.put(lease.hold().owner(), lease);
  }

  void unwatched(DefaultLease lease) {
    watched.remove(lease.hold().owner());
  }

  private void revoked(LeaseKey key, @Nullable UUID owner) {
    for (DefaultLease lease : watched.values()) {
      if (lease.key().equals(key) && (owner == null || owner.equals(lease.hold().owner()))) {
        keeper.soon(() -> loseUnlessHeld(lease));
      }
    }
  }

  /** It may have been granted after the one that was taken away: only the store knows. */
  private void loseUnlessHeld(DefaultLease lease) {
    boolean held =
        store.find(lease.key()).map(LeaseRecord::holders).orElse(List.of()).stream()
            .anyMatch(holder -> holder.token() == lease.token());
    if (!held) {
      lease.lose("it was taken away by force", null);
    }
  }

  private void forgetFromTimeToTime() {
    long now = System.nanoTime();
    if (now - nextForgetting > 0) {
      nextForgetting = now + FORGET_EVERY_NANOS;
      keeper.soon(() -> store.forget(IDLE));
    }
  }
}
