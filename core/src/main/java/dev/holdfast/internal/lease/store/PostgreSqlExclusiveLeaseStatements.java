package dev.holdfast.internal.lease.store;

import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.spi.LeaseStore.AcquireResult;
import dev.holdfast.lease.spi.LeaseStore.Ownership;
import dev.holdfast.lease.spi.LeaseStore.ReleaseResult;
import dev.holdfast.lease.spi.LeaseStore.Request;
import dev.holdfast.lease.spi.LeaseStore.Successor;
import dev.holdfast.lease.spi.LeaseStore.WaitRegistration;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Exclusive leases on PostgreSQL: each step is one statement, which also notifies.
 *
 * <p>{@code acquired_at} of the new row is the clock in each upsert, because a distributed database
 * takes times there only by {@code VALUES} and {@code excluded}.
 */
final class PostgreSqlExclusiveLeaseStatements implements ExclusiveLeaseStatements {
  /** Released and not offered to another instance, or expired, or held by this owner already. */
  private static final String FREE =
      """
      (l.released AND (l.told IS NULL OR l.told = excluded.holder OR l.told LIKE '*%') \
      OR l.expires_at <= excluded.acquired_at OR l.owner = excluded.owner)\
      """;

  /** A repetition by the same owner: the token stays. */
  private static final String SAME =
      "(l.owner = excluded.owner AND NOT l.released AND l.expires_at > excluded.acquired_at)";

  private static final String INSERT =
      """
      INSERT INTO {lease} AS l (shard, kind, name, token, owner, holder, released, acquired_at, \
      expires_at, arrivals, waiting_until) \
      VALUES (?, ?, ?, {micros}, ?, ?, false, {now}, {now+}, 0, {now+}) \
      ON CONFLICT (shard, kind, name) DO UPDATE SET\s\
      """;

  private static final String NEXT_TOKEN =
      " CASE WHEN " + SAME + " THEN l.token ELSE GREATEST(l.token + 1, excluded.token) END";

  private static final String TRY =
      INSERT.replace(", waiting_until", "").replace(", 0, {now+}", ", 0")
          + " token ="
          + NEXT_TOKEN
          + """
          , owner = excluded.owner, holder = excluded.holder, released = false, \
          acquired_at = excluded.acquired_at, expires_at = excluded.expires_at WHERE\s\
          """
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
              RETURNING owner, token, {left}, CASE WHEN owner IS DISTINCT FROM ? THEN\s\
              """
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
          + LeaseSql.KEY
          + "AND owner = ? AND expires_at > {now} RETURNING ";

  private static final String RENEW =
      "UPDATE {lease} SET expires_at = {now+} WHERE"
          + LeaseSql.KEY
          + "AND owner = ? AND NOT released AND expires_at > {now}";

  private static final String HAND_OVER =
      """
      UPDATE {lease} SET token = GREATEST(token + 1, {micros}), owner = ?, holder = ?, \
      released = false, acquired_at = {now}, expires_at = {now+} WHERE\
      """
          + LeaseSql.KEY
          + "AND owner = ? AND expires_at > {now}";

  /** A lease that was offered to this instance is free for all. */
  private static final String CANCEL_WAIT =
      "UPDATE {lease} SET waiting = NULLIF(replace(waiting, ENTRY, ''), ''), told = NULLIF(told, ?)"
              .replace("ENTRY", WaiterList.entry("?::text"))
          + " WHERE"
          + LeaseSql.KEY
          + "AND (strpos(waiting, ENTRY) > 0 OR told = ?) RETURNING "
              .replace("ENTRY", WaiterList.entry("?::text"))
          + PostgreSqlReleaseNotifier.NOTIFY_WAIT_CANCELLED
          + ", "
          + WaiterList.UNFLUSHED;

  private static final String FORCE =
      "UPDATE {lease} SET released = true, owner = NULL, waiting = NULL, told = NULL,"
          + " token = GREATEST(token + 1, {micros}) WHERE"
          + LeaseSql.KEY
          + "AND NOT released AND expires_at > {now} RETURNING token, ";

  private final LeaseHome home;
  private final LeaseSql sql;
  private final String tryIt;
  private final String tryOrMark;
  private final String release;
  private final String releaseAndWait;
  private final String renew;
  private final String handOver;
  private final String handOverUnlessOthersWait;
  private final String force;
  private final String cancelWait;

  PostgreSqlExclusiveLeaseStatements(LeaseHome home) {
    this.home = home;
    this.sql = home.sql();
    this.tryIt = sql.text(TRY);
    this.tryOrMark = sql.text(TRY_OR_MARK);
    this.release = release(WaiterList.REST);
    this.releaseAndWait = release(WaiterList.REST_AND_SELF);
    this.renew = sql.text(RENEW);
    this.handOver = sql.text(HAND_OVER + " RETURNING token");
    this.handOverUnlessOthersWait =
        sql.text(HAND_OVER + " AND NOT " + WaiterList.OTHERS_WAIT + " RETURNING token");
    this.cancelWait = sql.text(CANCEL_WAIT);
    this.force = sql.text(FORCE + PostgreSqlReleaseNotifier.NOTIFY_FORCED);
  }

  private String release(String rest) {
    return sql.text(
        RELEASE.replace("REST", rest)
            + PostgreSqlReleaseNotifier.NOTIFY_RELEASED
            + ", "
            + WaiterList.UNFLUSHED_IF_SHORT);
  }

  @Override
  public AcquireResult acquire(Request request) {
    WaitRegistration waiting = request.waitRegistration();
    return waiting == null ? acquireNow(request) : acquireOrMark(request, waiting.duration());
  }

  private AcquireResult acquireNow(Request request) {
    LeaseKey key = request.key();
    Optional<Long> token =
        home.step(
            "acquiring",
            key,
            connection ->
                sql.first(
                    connection,
                    tryIt,
                    row -> row.getLong(1),
                    sql.shard(key),
                    key.kind(),
                    key.name(),
                    request.ownerId(),
                    request.instanceName(),
                    request.duration()));
    return token.isPresent()
        ? new AcquireResult.Granted(token.get())
        : new AcquireResult.Rejected(Duration.ZERO);
  }

  private AcquireResult acquireOrMark(Request request, Duration mark) {
    LeaseKey key = request.key();
    Optional<AcquireResult> answer =
        home.step(
            "acquiring",
            key,
            connection ->
                sql.first(
                    connection,
                    tryOrMark,
                    row -> AcquireRow.result(sql, row, request),
                    sql.shard(key),
                    key.kind(),
                    key.name(),
                    request.ownerId(),
                    request.instanceName(),
                    request.duration(),
                    mark,
                    request.ownerId()));
    return answer.orElseThrow();
  }

  @Override
  public boolean renew(Ownership ownership, Duration lease) {
    LeaseKey key = ownership.key();
    return home.renewal(
        key,
        lease,
        connection ->
            sql.update(
                connection,
                renew,
                lease,
                sql.shard(key),
                key.kind(),
                key.name(),
                ownership.ownerId()));
  }

  @Override
  public ReleaseResult release(Ownership ownership) {
    return release(ownership, release);
  }

  private ReleaseResult release(Ownership ownership, String statement) {
    LeaseKey key = ownership.key();
    Optional<Boolean> released =
        home.step(
            "releasing",
            key,
            connection ->
                sql.first(
                    connection,
                    statement,
                    row -> true,
                    sql.shard(key),
                    key.kind(),
                    key.name(),
                    ownership.ownerId(),
                    key.name()));
    return released.isPresent() ? new ReleaseResult.Released() : new ReleaseResult.Lost();
  }

  @Override
  public ReleaseResult handOver(Ownership ownership, Successor successor) {
    LeaseKey key = ownership.key();
    Request next = successor.next();
    Optional<Long> token =
        home.step(
            "handing over",
            key,
            connection ->
                sql.first(
                    connection,
                    successor.unlessOthersWait() ? handOverUnlessOthersWait : handOver,
                    row -> row.getLong(1),
                    next.ownerId(),
                    next.instanceName(),
                    next.duration(),
                    sql.shard(key),
                    key.kind(),
                    key.name(),
                    ownership.ownerId()));
    if (token.isPresent()) {
      return new ReleaseResult.HandedOver(token.get());
    }
    return successor.unlessOthersWait()
        ? release(ownership, releaseAndWait)
        : new ReleaseResult.Lost();
  }

  @Override
  public OptionalLong forceRelease(LeaseKey key) {
    Optional<Long> token =
        home.step(
            "force releasing",
            key,
            connection ->
                sql.first(
                    connection,
                    force,
                    row -> row.getLong(1),
                    sql.shard(key),
                    key.kind(),
                    key.name(),
                    key.name()));
    return token.map(OptionalLong::of).orElseGet(OptionalLong::empty);
  }

  @Override
  public void cancelWait(LeaseKey key, String holder) {
    Optional<Boolean> unused =
        home.step(
            "removing the wait registration of",
            key,
            connection ->
                sql.first(
                    connection,
                    cancelWait,
                    row -> true,
                    holder,
                    holder,
                    sql.shard(key),
                    key.kind(),
                    key.name(),
                    holder,
                    holder,
                    key.name()));
  }
}
