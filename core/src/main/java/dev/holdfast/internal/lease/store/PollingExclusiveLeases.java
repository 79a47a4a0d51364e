package dev.holdfast.internal.lease.store;

import dev.holdfast.internal.lease.store.SharedLeaseStore.LockedRow;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.spi.LeaseStore.Ownership;
import dev.holdfast.lease.spi.LeaseStore.ReleaseResult;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Exclusive leases on MariaDB, MySQL and H2, which cannot notify waiters. Waiters of other
 * processes poll, and a process that acquires the lease again at once would always be faster. So
 * some releases offer the lease to the others: for a moment, longer than the poll interval, every
 * process but the one that released it may acquire it. The column {@code told} then has the waiter
 * that the offer is for; the offer uses it up. Each release decides anew whether it is an offer.
 *
 * <p>An offer that no process accepts wastes time. So a lease is offered only after it was held for
 * a random time: a process that holds it for a tenth of the longest such time offers it every tenth
 * time, and loses the same share of its time as others.
 */
abstract class PollingExclusiveLeases extends ExclusiveLeases {
  /** Another process waits, or several do. */
  static final String WAIT =
      "(waiting IS NOT NULL AND waiting_until > {now} AND waiting <> holder)";

  /** The released lease is not offered to others than this instance, whose name is to be put in. */
  static final String NOT_OFFERED = "(told IS NULL OR holder <> %s)";

  private static final long MAX_HELD_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private static final String OFFERED = "(acquired_at <= {now+} AND " + WAIT + ")";

  /**
   * Reads no column after it has changed it, because some databases assign one column after the
   * other. A repetition leaves an offer as it is and has the same result, also after the offer.
   */
  private static final String RELEASE =
      """
      UPDATE {lease} SET told = CASE WHEN OFFERED THEN waiting WHEN released THEN told END, \
      expires_at = CASE WHEN OFFERED THEN LEAST(expires_at, {now} + INTERVAL '0.06' SECOND) \
      ELSE expires_at END, \
      waiting = CASE WHEN OFFERED THEN NULL ELSE NULLIF(waiting, holder) END, released = true WHERE"""
          + LeaseTables.KEY
          + "AND owner = ? AND (released OR expires_at > {now})";

  /** Other processes wait, and this one does, too; it uses the rest of their registration. */
  private static final String RELEASE_AND_WAIT =
      "UPDATE {lease} SET released = true, told = NULL, waiting = holder WHERE"
          + LeaseTables.KEY
          + "AND owner = ? AND expires_at > {now}";

  /** A lease that was offered for this registration alone is free for all. */
  private static final String CANCEL_WAIT =
      """
      UPDATE {lease} SET waiting = CASE WHEN waiting = ? THEN NULL ELSE waiting END, \
      told = CASE WHEN told = ? THEN NULL ELSE told END WHERE"""
          + LeaseTables.KEY
          + "AND (waiting = ? OR told = ?)";

  private final String release;
  private final String releaseAndWait;
  private final String cancelWait;

  PollingExclusiveLeases(LeaseTables tables) {
    super(tables);
    this.release = tables.text(RELEASE.replace("OFFERED", OFFERED));
    this.releaseAndWait = tables.text(RELEASE_AND_WAIT);
    this.cancelWait = tables.text(CANCEL_WAIT);
  }

  /** As {@link #NOT_OFFERED}, for a locked row. */
  @Override
  final boolean isOfferedToOthers(LockedRow row, String instanceName) {
    return row.isOffered() && row.offeredTo() != null && instanceName.equals(row.holder());
  }

  @Override
  final ReleaseResult release(Ownership ownership) {
    Duration ago = Duration.ofNanos(-ThreadLocalRandom.current().nextLong(MAX_HELD_NANOS));
    LeaseKey key = ownership.key();
    return release(key, release, ago, ago, ago, key, ownership.ownerId());
  }

  @Override
  final ReleaseResult releaseAndWait(Ownership ownership) {
    LeaseKey key = ownership.key();
    return release(key, releaseAndWait, key, ownership.ownerId());
  }

  private ReleaseResult release(LeaseKey key, String statement, Object... values) {
    boolean released =
        tables.step(
            "releasing", key, connection -> tables.update(connection, statement, values) == 1);
    return released ? new ReleaseResult.Released() : new ReleaseResult.Lost();
  }

  @Override
  final void cancelWait(LeaseKey key, String instanceName) {
    int unused =
        tables.step(
            "removing the wait registration of",
            key,
            connection ->
                tables.update(
                    connection,
                    cancelWait,
                    instanceName,
                    instanceName,
                    key,
                    instanceName,
                    instanceName));
  }
}
