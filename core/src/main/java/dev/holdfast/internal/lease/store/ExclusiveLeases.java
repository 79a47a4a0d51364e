package dev.holdfast.internal.lease.store;

import dev.holdfast.internal.lease.store.SharedLeaseStore.LockedRow;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.spi.LeaseStore.AcquireResult;
import dev.holdfast.lease.spi.LeaseStore.Ownership;
import dev.holdfast.lease.spi.LeaseStore.ReleaseResult;
import dev.holdfast.lease.spi.LeaseStore.Request;
import dev.holdfast.lease.spi.LeaseStore.Successor;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Exclusive leases, one row each, which single statements change outside of any transaction.
 * Databases differ in the acquisition, and in how a release lets other processes go first.
 */
abstract class ExclusiveLeases {
  private static final String RENEW =
      "UPDATE {lease} SET expires_at = {now+} WHERE"
          + LeaseTables.KEY
          + "AND owner = ? AND NOT released AND expires_at > {now}";

  final LeaseTables tables;
  private final String renew;

  ExclusiveLeases(LeaseTables tables) {
    this.tables = tables;
    this.renew = tables.text(RENEW);
  }

  abstract AcquireResult acquire(Request request);

  /** The result from the columns owner, token, and microseconds left. */
  final AcquireResult result(ResultSet row, Request request) throws SQLException {
    return request.ownerId().equals(tables.owner(row, 1))
        ? new AcquireResult.Granted(row.getLong(2))
        : new AcquireResult.Rejected(LeaseTables.time(row.getLong(3)));
  }

  final boolean renew(Ownership ownership, Duration duration) {
    return tables.renewal(
        ownership.key(),
        duration,
        connection ->
            tables.update(connection, renew, duration, ownership.key(), ownership.ownerId()));
  }

  abstract ReleaseResult release(Ownership ownership);

  /** Releases a lease that another process waits for, while this one continues to wait. */
  abstract ReleaseResult releaseAndWait(Ownership ownership);

  final ReleaseResult handOver(Ownership ownership, Successor successor) {
    Optional<ReleaseResult> handed =
        tables.step(
            "handing over",
            ownership.key(),
            connection -> handOver(connection, ownership, successor));
    return handed.orElseGet(
        () -> successor.unlessOthersWait() ? releaseAndWait(ownership) : new ReleaseResult.Lost());
  }

  /** Returns empty if this owner does not hold the lease, or if others wait and go first. */
  abstract Optional<ReleaseResult> handOver(
      Connection connection, Ownership ownership, Successor successor) throws SQLException;

  final OptionalLong forceRelease(LeaseKey key) {
    Optional<Long> token =
        tables.step("force releasing", key, connection -> forceRelease(connection, key));
    return token.map(OptionalLong::of).orElseGet(OptionalLong::empty);
  }

  abstract Optional<Long> forceRelease(Connection connection, LeaseKey key) throws SQLException;

  /** Removes the registration of an instance, if others would let it go first because of it. */
  abstract void cancelWait(LeaseKey key, String instanceName);

  /** Whether the lease was released and is offered to another instance than this one. */
  abstract boolean isOfferedToOthers(LockedRow row, String instanceName);
}
