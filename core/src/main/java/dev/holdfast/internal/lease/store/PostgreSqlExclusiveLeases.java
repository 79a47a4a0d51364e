package dev.holdfast.internal.lease.store;

import dev.holdfast.internal.lease.store.SharedLeaseStore.LockedRow;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.spi.LeaseStore.AcquireResult;
import dev.holdfast.lease.spi.LeaseStore.Ownership;
import dev.holdfast.lease.spi.LeaseStore.ReleaseResult;
import dev.holdfast.lease.spi.LeaseStore.Request;
import dev.holdfast.lease.spi.LeaseStore.Successor;
import dev.holdfast.lease.spi.LeaseStore.WaitRegistration;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

/**
 * Exclusive leases on PostgreSQL: each step is one statement, which also notifies.
 *
 * <p>{@code acquired_at} of the new row is the clock in each upsert, because a distributed database
 * takes times there only by {@code VALUES} and {@code excluded}.
 */
final class PostgreSqlExclusiveLeases extends ExclusiveLeases {
  /** Released and not offered to another instance, or expired, or held by this owner already. */
  private static final String FREE =
      """
      (l.released AND (l.told IS NULL OR l.told = excluded.holder OR l.told LIKE '*%') \
      OR l.expires_at <= excluded.acquired_at OR l.owner = excluded.owner)""";

  /** A repetition by the same owner: the token stays. */
  private static final String SAME =
      "(l.owner = excluded.owner AND NOT l.released AND l.expires_at > excluded.acquired_at)";

  private static final String INSERT =
      """
      INSERT INTO {lease} AS l (shard, kind, name, token, owner, holder, released, acquired_at, \
      expires_at, arrivals, waiting_until) \
      VALUES (?, ?, ?, {micros}, ?, ?, false, {now}, {now+}, 0, {now+}) \
      ON CONFLICT (shard, kind, name) DO UPDATE SET\s""";

  private static final String NEXT_TOKEN =
      " CASE WHEN " + SAME + " THEN l.token ELSE GREATEST(l.token + 1, excluded.token) END";

  private static final String TRY =
      INSERT.replace(", waiting_until", "").replace(", 0, {now+}", ", 0")
          + " token ="
          + NEXT_TOKEN
          + """
          , owner = excluded.owner, holder = excluded.holder, released = false, \
          acquired_at = excluded.acquired_at, expires_at = excluded.expires_at WHERE\s"""
          + FREE
          + " RETURNING token";

  /** If the lease is not free, it registers this process as a waiter. */
  private static final String TRY_OR_MARK =
      (INSERT
              + " token = CASE WHEN FREE THEN"
              + NEXT_TOKEN
              + """
               ELSE l.token END, \
              owner = CASE WHEN FREE THEN excluded.owner ELSE l.owner END, \
              holder = CASE WHEN FREE THEN excluded.holder ELSE l.holder END, \
              released = CASE WHEN FREE THEN false ELSE l.released END, \
              acquired_at = CASE WHEN FREE THEN excluded.acquired_at ELSE l.acquired_at END, \
              expires_at = CASE WHEN FREE THEN excluded.expires_at ELSE l.expires_at END, \
              waiting = CASE WHEN FREE THEN l.waiting \
              WHEN l.waiting IS NULL OR l.waiting_until <= excluded.acquired_at THEN ENTRY \
              WHEN l.waiting LIKE '*%' THEN '*' \
              WHEN strpos(l.waiting, ENTRY) > 0 THEN l.waiting \
              WHEN length(l.waiting) <= 2000 THEN l.waiting || ENTRY \
              WHEN strpos(l.waiting, ALL) > 0 THEN l.waiting ELSE l.waiting || ALL END, \
              waiting_until = CASE WHEN FREE THEN l.waiting_until ELSE excluded.waiting_until END \
              RETURNING owner, token, {left}, CASE WHEN owner IS DISTINCT FROM ? THEN\s"""
              + WaiterList.UNFLUSHED
              + " END")
          .replace("FREE", FREE)
          .replace("ENTRY", WaiterList.entry("excluded.holder"))
          .replace("ALL", WaiterList.entry("'*'"));

  /**
   * Offers the lease to the instance that has waited longest; for a moment no other may acquire it.
   * The releasing process needs no notification: it hands the lease over, or wakes its waiters
   * itself. {@code acquired_at} keeps the end of the lease for the expressions after {@code
   * RETURNING}.
   */
  private static final String RELEASE =
      "UPDATE {lease} SET released = true, told = "
          + WaiterList.FIRST
          + ", waiting = REST, expires_at = CASE WHEN "
          + WaiterList.IS_OFFERED
          + " THEN LEAST(expires_at, {now} + interval '50 ms') ELSE expires_at END,"
          + " acquired_at = expires_at WHERE"
          + LeaseTables.KEY
          + "AND owner = ? AND expires_at > {now} RETURNING ";

  private static final String HAND_OVER =
      """
      UPDATE {lease} SET token = GREATEST(token + 1, {micros}), owner = ?, holder = ?, \
      released = false, acquired_at = {now}, expires_at = {now+} WHERE"""
          + LeaseTables.KEY
          + "AND owner = ? AND expires_at > {now}";

  /** A lease that was offered to this instance is free for all. */
  private static final String CANCEL_WAIT =
      "UPDATE {lease} SET waiting = NULLIF(replace(waiting, ENTRY, ''), ''), told = NULLIF(told, ?)"
              .replace("ENTRY", WaiterList.entry("?::text"))
          + " WHERE"
          + LeaseTables.KEY
          + "AND (strpos(waiting, ENTRY) > 0 OR told = ?) RETURNING "
              .replace("ENTRY", WaiterList.entry("?::text"))
          + PostgreSqlReleaseNotifier.NOTIFY_WAIT_CANCELLED
          + ", "
          + WaiterList.UNFLUSHED;

  private static final String FORCE =
      "UPDATE {lease} SET released = true, owner = NULL, waiting = NULL, told = NULL,"
          + " token = GREATEST(token + 1, {micros}) WHERE"
          + LeaseTables.KEY
          + "AND NOT released AND expires_at > {now} RETURNING token, ";

  private final String tryIt;
  private final String tryOrMark;
  private final String release;
  private final String releaseAndWait;
  private final String handOver;
  private final String handOverUnlessOthersWait;
  private final String force;
  private final String cancelWait;

  PostgreSqlExclusiveLeases(LeaseTables tables) {
    super(tables);
    this.tryIt = tables.text(TRY);
    this.tryOrMark = tables.text(TRY_OR_MARK);
    this.release = release(WaiterList.REST);
    this.releaseAndWait = release(WaiterList.REST_AND_SELF);
    this.handOver = tables.text(HAND_OVER + " RETURNING token");
    this.handOverUnlessOthersWait =
        tables.text(HAND_OVER + " AND NOT " + WaiterList.OTHERS_WAIT + " RETURNING token");
    this.cancelWait = tables.text(CANCEL_WAIT);
    this.force = tables.text(FORCE + PostgreSqlReleaseNotifier.NOTIFY_FORCED);
  }

  private String release(String rest) {
    return tables.text(
        RELEASE.replace("REST", rest)
            + PostgreSqlReleaseNotifier.NOTIFY_RELEASED
            + ", "
            + WaiterList.UNFLUSHED_IF_SHORT);
  }

  @Override
  AcquireResult acquire(Request request) {
    WaitRegistration waiting = request.waitRegistration();
    return waiting == null ? acquireNow(request) : acquireOrMark(request, waiting.duration());
  }

  private AcquireResult acquireNow(Request request) {
    LeaseKey key = request.key();
    Optional<Long> token =
        tables.step(
            "acquiring",
            key,
            connection ->
                tables.first(
                    connection,
                    tryIt,
                    row -> row.getLong(1),
                    key,
                    request.ownerId(),
                    request.instanceName(),
                    request.duration()));
    return token.isPresent()
        ? new AcquireResult.Granted(token.get())
        : new AcquireResult.Rejected(Duration.ZERO);
  }

  private AcquireResult acquireOrMark(Request request, Duration mark) {
    LeaseKey key = request.key();
    Optional<AcquireResult> outcome =
        tables.step(
            "acquiring",
            key,
            connection ->
                tables.first(
                    connection,
                    tryOrMark,
                    row -> result(row, request),
                    key,
                    request.ownerId(),
                    request.instanceName(),
                    request.duration(),
                    mark,
                    request.ownerId()));
    return outcome.orElseThrow();
  }

  @Override
  ReleaseResult release(Ownership ownership) {
    return release(ownership, release);
  }

  private ReleaseResult release(Ownership ownership, String statement) {
    LeaseKey key = ownership.key();
    Optional<Boolean> released =
        tables.step(
            "releasing",
            key,
            connection ->
                tables.first(
                    connection, statement, row -> true, key, ownership.ownerId(), key.name()));
    return released.isPresent() ? new ReleaseResult.Released() : new ReleaseResult.Lost();
  }

  @Override
  ReleaseResult releaseAndWait(Ownership ownership) {
    return release(ownership, releaseAndWait);
  }

  @Override
  Optional<ReleaseResult> handOver(Connection connection, Ownership ownership, Successor successor)
      throws SQLException {
    Request next = successor.next();
    return tables.first(
        connection,
        successor.unlessOthersWait() ? handOverUnlessOthersWait : handOver,
        row -> new ReleaseResult.HandedOver(row.getLong(1)),
        next.ownerId(),
        next.instanceName(),
        next.duration(),
        ownership.key(),
        ownership.ownerId());
  }

  @Override
  Optional<Long> forceRelease(Connection connection, LeaseKey key) throws SQLException {
    return tables.first(connection, force, row -> row.getLong(1), key, key.name());
  }

  @Override
  boolean isOfferedToOthers(LockedRow row, String instanceName) {
    String offeredTo = row.offeredTo();
    return row.isOffered()
        && offeredTo != null
        && !offeredTo.startsWith("*")
        && !offeredTo.equals(instanceName);
  }

  @Override
  void cancelWait(LeaseKey key, String holder) {
    Optional<Boolean> unused =
        tables.step(
            "removing the wait registration of",
            key,
            connection ->
                tables.first(
                    connection,
                    cancelWait,
                    row -> true,
                    holder,
                    holder,
                    key,
                    holder,
                    holder,
                    key.name()));
  }
}
