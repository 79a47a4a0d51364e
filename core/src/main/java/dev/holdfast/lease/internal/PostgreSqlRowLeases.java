package dev.holdfast.lease.internal;

import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseStore.Acquired;
import dev.holdfast.lease.LeaseStore.Freed;
import dev.holdfast.lease.LeaseStore.Hold;
import dev.holdfast.lease.LeaseStore.Request;
import dev.holdfast.lease.LeaseStore.Successor;
import dev.holdfast.lease.LeaseStore.Waiting;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Ordinary leases on PostgreSQL: each step is one statement, which also notifies.
 *
 * <p>{@code acquired_at} of the new row is the clock in each upsert, because a distributed database
 * takes times there only by {@code VALUES} and {@code excluded}.
 */
final class PostgreSqlRowLeases implements RowLeases {
  /** Released and offered to nobody else, or run out, or this owner's already. */
  private static final String FREE =
      """
      (l.released AND (l.told IS NULL OR l.told = excluded.holder OR l.told LIKE '*%') \
      OR l.expires_at <= excluded.acquired_at OR l.owner = excluded.owner)\
      """;

  /** The owner repeats itself, so that the token stays. */
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

  /** Where it is not free, this process gets in line, if it is not yet. */
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
              + PostgreSqlLine.UNFLUSHED
              + " END")
          .replace("FREE", FREE)
          .replace("ENTRY", PostgreSqlLine.entry("excluded.holder"))
          .replace("ALL", PostgreSqlLine.entry("'*'"));

  /**
   * It is offered to the process that has waited longest, and nobody else may take it for a moment.
   * Its own process needs not be told: there it is handed over, or whoever waits is told. {@code
   * acquired_at} keeps when it would have run out, for what comes after {@code RETURNING}.
   */
  private static final String RELEASE =
      "UPDATE {lease} SET released = true, told = "
          + PostgreSqlLine.FIRST
          + ", waiting = REST, expires_at = CASE WHEN "
          + PostgreSqlLine.IS_OFFERED
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

  /** What it was offered is anybody's. */
  private static final String WITHDRAW =
      "UPDATE {lease} SET waiting = NULLIF(replace(waiting, ENTRY, ''), ''), told = NULLIF(told, ?)"
              .replace("ENTRY", PostgreSqlLine.entry("?::text"))
          + " WHERE"
          + LeaseSql.KEY
          + "AND (strpos(waiting, ENTRY) > 0 OR told = ?) RETURNING "
              .replace("ENTRY", PostgreSqlLine.entry("?::text"))
          + PostgreSqlHearing.TELL_WITHDRAWN
          + ", "
          + PostgreSqlLine.UNFLUSHED;

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
  private final String withdraw;

  PostgreSqlRowLeases(LeaseHome home) {
    this.home = home;
    this.sql = home.sql();
    this.tryIt = sql.text(TRY);
    this.tryOrMark = sql.text(TRY_OR_MARK);
    this.release = release(PostgreSqlLine.REST);
    this.releaseAndWait = release(PostgreSqlLine.REST_AND_SELF);
    this.renew = sql.text(RENEW);
    this.handOver = sql.text(HAND_OVER + " RETURNING token");
    this.handOverUnlessOthersWait =
        sql.text(HAND_OVER + " AND NOT " + PostgreSqlLine.OTHERS_WAIT + " RETURNING token");
    this.withdraw = sql.text(WITHDRAW);
    this.force = sql.text(FORCE + PostgreSqlHearing.TELL_FORCED);
  }

  private String release(String rest) {
    return sql.text(
        RELEASE.replace("REST", rest)
            + PostgreSqlHearing.TELL_RELEASED
            + ", "
            + PostgreSqlLine.UNFLUSHED_IF_SHORT);
  }

  @Override
  public Acquired acquire(Request request) {
    Waiting waiting = request.waiting();
    return waiting == null ? acquireNow(request) : acquireOrMark(request, waiting.mark());
  }

  private Acquired acquireNow(Request request) {
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
                    request.owner(),
                    request.holder(),
                    request.lease()));
    return token.isPresent()
        ? new Acquired.Granted(token.get())
        : new Acquired.Taken(Duration.ZERO);
  }

  private Acquired acquireOrMark(Request request, Duration mark) {
    LeaseKey key = request.key();
    Optional<Acquired> answer =
        home.step(
            "acquiring",
            key,
            connection ->
                sql.first(
                    connection,
                    tryOrMark,
                    row -> MarkedRow.answer(sql, row, request),
                    sql.shard(key),
                    key.kind(),
                    key.name(),
                    request.owner(),
                    request.holder(),
                    request.lease(),
                    mark,
                    request.owner()));
    return answer.orElseThrow();
  }

  @Override
  public boolean renew(Hold hold, Duration lease) {
    LeaseKey key = hold.key();
    return home.renewal(
        key,
        lease,
        connection ->
            sql.update(
                connection, renew, lease, sql.shard(key), key.kind(), key.name(), hold.owner()));
  }

  @Override
  public Freed release(Hold hold) {
    return release(hold, release);
  }

  private Freed release(Hold hold, String statement) {
    LeaseKey key = hold.key();
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
                    hold.owner(),
                    key.name()));
    return released.isPresent() ? new Freed.Released() : new Freed.WasLost();
  }

  @Override
  public Freed handOver(Hold hold, Successor successor) {
    LeaseKey key = hold.key();
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
                    next.owner(),
                    next.holder(),
                    next.lease(),
                    sql.shard(key),
                    key.kind(),
                    key.name(),
                    hold.owner()));
    if (token.isPresent()) {
      return new Freed.HandedOver(token.get());
    }
    return successor.unlessOthersWait() ? release(hold, releaseAndWait) : new Freed.WasLost();
  }

  @Override
  public OptionalLong forceRelease(LeaseKey key) {
    Optional<Long> token =
        home.step(
            "taking away",
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
  public void withdraw(LeaseKey key, String holder) {
    Optional<Boolean> unused =
        home.step(
            "not waiting any more for",
            key,
            connection ->
                sql.first(
                    connection,
                    withdraw,
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
