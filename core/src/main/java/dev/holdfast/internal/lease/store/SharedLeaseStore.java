package dev.holdfast.internal.lease.store;

import dev.holdfast.internal.lease.store.LeaseTables.Limits;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.spi.LeaseStore.AcquireResult;
import dev.holdfast.lease.spi.LeaseStore.Ownership;
import dev.holdfast.lease.spi.LeaseStore.ReleaseResult;
import dev.holdfast.lease.spi.LeaseStore.Request;
import dev.holdfast.lease.spi.LeaseStore.WaitRegistration;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Read/write leases, semaphores and fair leases. Each step is one transaction:
 *
 * <ol>
 *   <li>lock the row of the key; insert it if it does not exist;
 *   <li>read the entries of the holders and the waiters;
 *   <li>decide, write, and notify the next waiter.
 * </ol>
 *
 * <p>An exclusive lease has its holder in the row itself, so that requests without a queue see it.
 * A shared lease has its holders among the entries.
 */
final class SharedLeaseStore {
  private final LeaseTables tables;
  private final SharedLeaseStatements statements;
  private final ExclusiveLeases exclusive;
  private final ReleaseNotifier notifier;

  SharedLeaseStore(LeaseTables tables, ExclusiveLeases exclusive, ReleaseNotifier notifier) {
    this.tables = tables;
    this.statements = new SharedLeaseStatements(tables);
    this.exclusive = exclusive;
    this.notifier = notifier;
  }

  /** The locked row of a key, and its entries. */
  private record Locked(LockedRow row, GrantPolicy policy) {}

  private Locked lock(Connection connection, LeaseKey key) throws SQLException {
    LockedRow row = statements.lock(connection, key);
    List<LeaseEntry> all = new ArrayList<>(living(connection, key));
    UUID owner = row.owner();
    if (owner != null && row.held()) {
      all.add(new LeaseEntry(owner, true, 0, row.token(), 1, row.left()));
    }
    return new Locked(row, GrantPolicy.of(all));
  }

  /**
   * The entries that have not expired. One that seems to have expired may be under renewal, which
   * does not lock the row of the key: only an entry that could be deleted has expired. So the
   * entries are read again after that.
   */
  private List<LeaseEntry> living(Connection connection, LeaseKey key) throws SQLException {
    while (true) {
      List<LeaseEntry> all = statements.entries(connection, key);
      if (all.stream().allMatch(LeaseEntry::isLive)) {
        return all;
      }
      statements.removeDead(connection, key);
    }
  }

  AcquireResult acquire(Request request) {
    WaitRegistration waiting = request.waitRegistration();
    return tables.call(
        "acquiring",
        request.key(),
        Limits.acquiring(request.duration(), waiting == null ? null : waiting.waitTimeout()),
        connection -> acquire(connection, request));
  }

  private AcquireResult acquire(Connection connection, Request request) throws SQLException {
    LeaseKey key = request.key();
    Locked locked = lock(connection, key);
    Optional<LeaseEntry> mine = locked.policy.of(request.ownerId());
    if (mine.isPresent() && mine.get().held()) {
      return grant(connection, request, mine.get().token(), locked.policy);
    }
    if (!locked.policy.grants(request.target(), request.ownerId())) {
      return wait(connection, request, locked, Long.MAX_VALUE);
    }
    if (exclusive.isOfferedToOthers(locked.row, request.instanceName())) {
      return wait(connection, request, locked, locked.row.left());
    }
    AcquireResult granted = grant(connection, request, locked.row.nextToken(), locked.policy);
    Optional<UUID> next = locked.policy.next(request.ownerId());
    if (next.isPresent() && !request.target().isExclusive()) {
      // if there is room for one, there may be room for the next
      notifier.released(connection, key, next.get());
    }
    return granted;
  }

  private AcquireResult grant(
      Connection connection, Request request, long token, GrantPolicy policy) throws SQLException {
    if (request.key().kind() == LeaseKey.Kind.EXCLUSIVE) {
      statements.remove(connection, request.key(), request.ownerId());
      Duration waited = LeaseTables.time(policy.waited(request.ownerId()));
      String next = policy.next(request.ownerId()).map(SharedLeaseStore::mark).orElse(null);
      statements.holdExclusive(connection, request, token, next, waited);
    } else {
      statements.holdShared(connection, request, token);
    }
    return new AcquireResult.Granted(token);
  }

  /**
   * @param offered for how many microseconds the lease is offered to others
   */
  private AcquireResult wait(Connection connection, Request request, Locked locked, long offered)
      throws SQLException {
    WaitRegistration waiting = request.waitRegistration();
    if (waiting != null) {
      boolean known = locked.policy.of(request.ownerId()).isPresent();
      long arrivals = locked.row.arrivals() + (known ? 0 : 1);
      UUID first = locked.policy.first().orElse(request.ownerId());
      statements.enqueue(connection, request, waiting.duration(), known, arrivals, mark(first));
    }
    return new AcquireResult.Rejected(
        LeaseTables.time(Math.min(offered, locked.policy.untilChange(request.ownerId()))));
  }

  /** The value of the row while there is a queue: the owner id of its first waiter. */
  private static String mark(UUID first) {
    return "*" + first;
  }

  boolean renewShared(Ownership ownership, Duration duration) {
    return tables.renewal(
        ownership.key(),
        duration,
        connection -> statements.renewShared(connection, ownership, duration));
  }

  ReleaseResult releaseShared(Ownership ownership) {
    return tables.call(
        "releasing",
        ownership.key(),
        Limits.STANDARD,
        connection -> {
          Locked locked = lock(connection, ownership.key());
          Optional<LeaseEntry> mine = end(connection, ownership, locked);
          if (mine.isPresent() && mine.get().held()) {
            statements.remember(connection, ownership);
            return new ReleaseResult.Released();
          }
          return ownership.ownerId().equals(locked.row.owner())
              ? new ReleaseResult.Released()
              : new ReleaseResult.Lost();
        });
  }

  /** Removes this owner from the queue of an exclusive lease, if it is there. */
  void leave(Ownership ownership) {
    boolean queued =
        tables.step(
            "leaving the queue of",
            ownership.key(),
            connection -> statements.has(connection, ownership));
    if (queued) {
      tables.call(
          "leaving the queue of",
          ownership.key(),
          Limits.STANDARD,
          connection -> end(connection, ownership, lock(connection, ownership.key())));
    }
  }

  private Optional<LeaseEntry> end(Connection connection, Ownership ownership, Locked locked)
      throws SQLException {
    Optional<LeaseEntry> mine = locked.policy.of(ownership.ownerId());
    statements.remove(connection, ownership.key(), ownership.ownerId());
    Optional<UUID> next = locked.policy.next(ownership.ownerId());
    if (next.isPresent()) {
      notifier.released(connection, ownership.key(), next.get());
    }
    return mine;
  }

  OptionalLong forceReleaseShared(LeaseKey key) {
    return tables.call(
        "force releasing",
        key,
        Limits.STANDARD,
        connection -> {
          Locked locked = lock(connection, key);
          if (locked.policy.entries().stream().noneMatch(LeaseEntry::held)) {
            return OptionalLong.empty();
          }
          long token = locked.row.nextToken();
          statements.removeHolders(connection, key);
          statements.raise(connection, key, token);
          notifier.revoked(connection, key);
          return OptionalLong.of(token);
        });
  }

  /** The row of a key when it was locked. */
  record LockedRow(
      @Nullable UUID owner,
      long token,
      boolean released,
      long left,
      long arrivals,
      long micros,
      @Nullable String offeredTo,
      @Nullable String holder) {
    boolean held() {
      return !released && left > 0;
    }

    /** Whether it was released and may be offered to a waiter. */
    boolean isOffered() {
      return released && left > 0;
    }

    long nextToken() {
      return Math.max(token + 1, micros);
    }
  }
}
