package dev.holdfast.lease.internal;

import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseStore.Acquired;
import dev.holdfast.lease.LeaseStore.Freed;
import dev.holdfast.lease.LeaseStore.Hold;
import dev.holdfast.lease.LeaseStore.Request;
import dev.holdfast.lease.LeaseStore.Successor;
import dev.holdfast.lease.LeaseStore.Waiting;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;

/**
 * Ordinary leases on H2, which has no upsert that locks: the row is changed where it is there, and
 * inserted where it is not. Who inserts it first has the lease; the others begin anew.
 */
final class H2RowLeases implements RowLeases {
  private static final String FREE =
      "(released AND "
          + OthersFirst.NOT_OFFERED.formatted("?")
          + " OR expires_at <= {now} OR owner = ?)";

  private static final String TAKE =
      """
      SELECT owner, token, {left} FROM FINAL TABLE (UPDATE {lease} SET \
      token = CASE WHEN owner = ? AND NOT released AND expires_at > {now} THEN token \
      WHEN FREE THEN GREATEST(token + 1, {micros}) ELSE token END, \
      owner = CASE WHEN FREE THEN ? ELSE owner END, \
      holder = CASE WHEN FREE THEN ? ELSE holder END, \
      released = CASE WHEN FREE THEN false ELSE released END, \
      acquired_at = CASE WHEN FREE THEN {now} ELSE acquired_at END, \
      expires_at = CASE WHEN FREE THEN {now+} ELSE expires_at END\
      """;

  /** Where it is not free, it leaves a mark: this process waits, or several do. */
  private static final String MARK =
      """
      , waiting = CASE WHEN FREE THEN waiting WHEN waiting IS NULL OR waiting_until <= {now} \
      OR waiting = ? THEN CAST(? AS varchar) ELSE '*' END, \
      waiting_until = CASE WHEN FREE THEN waiting_until ELSE {now+} END\
      """;

  private static final String INSERT =
      """
      SELECT owner, token, {left} FROM FINAL TABLE (INSERT INTO {lease} (shard, kind, name, token, \
      owner, holder, released, acquired_at, expires_at, arrivals) \
      VALUES (?, ?, ?, {micros}, ?, ?, false, {now}, {now+}, 0))\
      """;

  private static final String OF_KEY = " WHERE" + LeaseSql.KEY + ")";

  private static final String MINE = LeaseSql.KEY + "AND owner = ? AND expires_at > {now}";

  private static final String HAND_OVER =
      """
      SELECT token FROM FINAL TABLE (UPDATE {lease} SET token = GREATEST(token + 1, {micros}), \
      owner = ?, holder = ?, released = false, acquired_at = {now}, expires_at = {now+} WHERE\
      """
          + MINE;

  private final LeaseHome home;
  private final LeaseSql sql;
  private final OthersFirst othersFirst;
  private final String take;
  private final String takeOrMark;
  private final String insert;
  private final String renew;
  private final String handOver;
  private final String handOverUnlessOthersWait;
  private final String force;

  H2RowLeases(LeaseHome home) {
    this.home = home;
    this.sql = home.sql();
    this.othersFirst = new OthersFirst(home);
    this.take = sql.text((TAKE + OF_KEY).replace("FREE", FREE));
    this.takeOrMark = sql.text((TAKE + MARK + OF_KEY).replace("FREE", FREE));
    this.insert = sql.text(INSERT);
    this.renew =
        sql.text("UPDATE {lease} SET expires_at = {now+} WHERE" + MINE + " AND NOT released");
    this.handOver = sql.text(HAND_OVER + ")");
    this.handOverUnlessOthersWait = sql.text(HAND_OVER + " AND NOT " + OthersFirst.WAIT + ")");
    this.force =
        sql.text(
            "SELECT token FROM FINAL TABLE (UPDATE {lease} SET token = GREATEST(token + 1,"
                + " {micros}), owner = NULL, waiting = NULL, told = NULL, released = true WHERE"
                + LeaseSql.KEY
                + "AND NOT released AND expires_at > {now})");
  }

  @Override
  public Acquired acquire(Request request) {
    return home.step(
        "acquiring",
        request.key(),
        connection -> {
          Optional<Acquired> changed = changed(connection, request);
          return changed.isPresent() ? changed.get() : inserted(connection, request);
        });
  }

  private Optional<Acquired> changed(Connection connection, Request request) throws SQLException {
    LeaseKey key = request.key();
    UUID owner = request.owner();
    String holder = request.holder();
    Waiting waiting = request.waiting();
    // in the order of the columns: each asks whether it is free by the holder and the owner
    List<Object> values = new ArrayList<>();
    Collections.addAll(values, owner, holder, owner);
    Collections.addAll(values, holder, owner, owner);
    Collections.addAll(values, holder, owner, holder);
    Collections.addAll(values, holder, owner);
    Collections.addAll(values, holder, owner);
    Collections.addAll(values, holder, owner, request.lease());
    if (waiting != null) {
      Collections.addAll(values, holder, owner, holder, holder);
      Collections.addAll(values, holder, owner, waiting.mark());
    }
    Collections.addAll(values, sql.shard(key), key.kind(), key.name());
    return sql.first(
        connection,
        waiting == null ? take : takeOrMark,
        row -> MarkedRow.answer(sql, row, request),
        values.toArray());
  }

  private Acquired inserted(Connection connection, Request request) throws SQLException {
    LeaseKey key = request.key();
    return sql.first(
            connection,
            insert,
            row -> MarkedRow.answer(sql, row, request),
            sql.shard(key),
            key.kind(),
            key.name(),
            request.owner(),
            request.holder(),
            request.lease())
        .orElseThrow();
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
    return othersFirst.release(hold);
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
    return successor.unlessOthersWait() ? othersFirst.releaseAndWait(hold) : new Freed.WasLost();
  }

  @Override
  public OptionalLong forceRelease(LeaseKey key) {
    return home.step(
        "taking away",
        key,
        connection ->
            sql.first(
                    connection,
                    force,
                    row -> row.getLong(1),
                    sql.shard(key),
                    key.kind(),
                    key.name())
                .map(OptionalLong::of)
                .orElseGet(OptionalLong::empty));
  }

  @Override
  public void withdraw(LeaseKey key, String holder) {
    othersFirst.withdraw(key, holder);
  }
}
