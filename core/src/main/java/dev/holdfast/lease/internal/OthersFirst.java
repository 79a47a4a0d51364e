package dev.holdfast.lease.internal;

import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseStore.Freed;
import dev.holdfast.lease.LeaseStore.Hold;
import dev.holdfast.lease.internal.QueuedLeases.LockedRow;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * How ordinary leases are released on MariaDB, MySQL and H2, where nobody is told of it: those who
 * wait in other processes only ask from time to time, and a process that comes again at once would
 * always be there before them. So a release now and then offers the lease to them: for a moment,
 * longer than the time in which they ask, everybody may have it but the process that has released
 * it. {@code told} then is the mark that it was offered for, which is used up by that; each release
 * says anew whether it is one.
 *
 * <p>Nobody may come in that moment, which is lost then. So it is offered only after it was held
 * for a time that is different for each release: who holds it for a tenth of the longest such time
 * offers it each tenth time, and loses the same part of its time as others.
 */
final class OthersFirst {
  /** The mark of another process, or of several. */
  static final String WAIT =
      "(waiting IS NOT NULL AND waiting_until > {now} AND waiting <> holder)";

  /** What is released is there for this holder, whose name is to be put in. */
  static final String NOT_OFFERED = "(told IS NULL OR holder <> %s)";

  private static final long LONGEST_HELD_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private static final String OFFERED = "(acquired_at <= {now+} AND " + WAIT + ")";

  /**
   * No value is read after it was changed, since some databases change one after the other. A
   * repetition leaves an offer as it is, and is answered like the first also when that is over.
   */
  private static final String RELEASE =
      """
      UPDATE {lease} SET told = CASE WHEN OFFERED THEN waiting WHEN released THEN told END, \
      expires_at = CASE WHEN OFFERED THEN LEAST(expires_at, {now} + INTERVAL '0.06' SECOND) \
      ELSE expires_at END, \
      waiting = CASE WHEN OFFERED THEN NULL ELSE NULLIF(waiting, holder) END, released = true WHERE\
      """
          + LeaseSql.KEY
          + "AND owner = ? AND (released OR expires_at > {now})";

  /** Others wait, and this process does too; what is there of the time of their mark is its own. */
  private static final String RELEASE_AND_WAIT =
      "UPDATE {lease} SET released = true, told = NULL, waiting = holder WHERE"
          + LeaseSql.KEY
          + "AND owner = ? AND expires_at > {now}";

  /** What was offered for its mark alone is anybody's. */
  private static final String WITHDRAW =
      """
      UPDATE {lease} SET waiting = CASE WHEN waiting = ? THEN NULL ELSE waiting END, \
      told = CASE WHEN told = ? THEN NULL ELSE told END WHERE\
      """
          + LeaseSql.KEY
          + "AND (waiting = ? OR told = ?)";

  private final LeaseHome home;
  private final LeaseSql sql;
  private final String release;
  private final String releaseAndWait;
  private final String withdraw;

  OthersFirst(LeaseHome home) {
    this.home = home;
    this.sql = home.sql();
    this.release = sql.text(RELEASE.replace("OFFERED", OFFERED));
    this.releaseAndWait = sql.text(RELEASE_AND_WAIT);
    this.withdraw = sql.text(WITHDRAW);
  }

  /** As {@link #NOT_OFFERED}, of a row that is locked. */
  static boolean isOfferedToOthers(LockedRow row, String holder) {
    return row.isOffered() && row.told() != null && holder.equals(row.holder());
  }

  Freed release(Hold hold) {
    Duration ago = Duration.ofNanos(-ThreadLocalRandom.current().nextLong(LONGEST_HELD_NANOS));
    LeaseKey key = hold.key();
    return freed(
        key,
        release,
        ago,
        ago,
        ago,
        sql.shard(key),
        key.kind(),
        sql.name(key.name()),
        hold.owner());
  }

  /** Releases it where another process waits, and one of this process goes on waiting. */
  Freed releaseAndWait(Hold hold) {
    LeaseKey key = hold.key();
    return freed(
        key, releaseAndWait, sql.shard(key), key.kind(), sql.name(key.name()), hold.owner());
  }

  private Freed freed(LeaseKey key, String statement, Object... values) {
    boolean released =
        home.step("releasing", key, connection -> sql.update(connection, statement, values) == 1);
    return released ? new Freed.Released() : new Freed.WasLost();
  }

  void withdraw(LeaseKey key, String holder) {
    int unused =
        home.step(
            "not waiting any more for",
            key,
            connection ->
                sql.update(
                    connection,
                    withdraw,
                    holder,
                    holder,
                    sql.shard(key),
                    key.kind(),
                    sql.name(key.name()),
                    holder,
                    holder));
  }
}
