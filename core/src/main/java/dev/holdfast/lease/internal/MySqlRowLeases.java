package dev.holdfast.lease.internal;

import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseStore.Acquired;
import dev.holdfast.lease.LeaseStore.Freed;
import dev.holdfast.lease.LeaseStore.Hold;
import dev.holdfast.lease.LeaseStore.Request;
import dev.holdfast.lease.LeaseStore.Successor;
import dev.holdfast.lease.LeaseStore.Waiting;
import dev.holdfast.sql.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Ordinary leases on MariaDB and MySQL. On MariaDB each step is one statement; MySQL does not
 * return rows, so that an acquisition there reads what has become of it.
 *
 * <p>Assignments are made from left to right, each seeing those before it: so whether the lease is
 * free is decided by the old row until {@code owner} is assigned, and by the new owner after that.
 */
final class MySqlRowLeases implements RowLeases {
  private static final String FREE =
      "(released AND "
          + OthersFirst.NOT_OFFERED.formatted("VALUES(holder)")
          + " OR expires_at <= VALUES(acquired_at) OR owner = VALUES(owner))";

  private static final String GRANTED = "owner = VALUES(owner)";

  private static final String INSERT =
      """
      INSERT INTO {lease} (shard, kind, name, token, owner, holder, released, acquired_at, \
      expires_at, waiting_until, arrivals) \
      VALUES (?, ?, ?, {micros}, ?, ?, false, {now}, {now+}, {now+}, 0) ON DUPLICATE KEY UPDATE\s\
      """;

  /** Where it is not free, it leaves a mark: this process waits, or several do. */
  private static final String MARK =
      """
      waiting = IF(FREE, waiting, IF(waiting IS NULL OR waiting_until <= VALUES(acquired_at) \
      OR waiting = VALUES(holder), VALUES(holder), '*')), \
      waiting_until = IF(FREE, waiting_until, VALUES(waiting_until)),\s\
      """;

  private static final String TAKE =
      """
      token = IF(FREE, IF(owner = VALUES(owner) AND NOT released \
      AND expires_at > VALUES(acquired_at), token, GREATEST(token + 1, VALUES(token))), token), \
      owner = IF(FREE, VALUES(owner), owner), \
      holder = IF(GRANTED, VALUES(holder), holder), \
      acquired_at = IF(GRANTED, VALUES(acquired_at), acquired_at), \
      expires_at = IF(GRANTED, VALUES(expires_at), expires_at), \
      released = IF(GRANTED, false, released)\
      """;

  private static final String TOLD = "owner, token, {left}";

  private static final String MINE = LeaseSql.KEY + "AND owner = ? AND expires_at > {now}";

  private static final String HAND_OVER =
      """
      UPDATE {lease} SET token = GREATEST(token + 1, {micros}), owner = ?, holder = ?, \
      released = false, acquired_at = {now}, expires_at = {now+} WHERE\
      """
          + MINE;

  /** The token that this connection has set: the row may be another's by now. */
  private static final String FORCED = "SELECT LAST_INSERT_ID()";

  private final LeaseHome home;
  private final LeaseSql sql;
  private final OthersFirst othersFirst;
  private final boolean returns;
  private final String take;
  private final String takeOrMark;
  private final String read;
  private final String renew;
  private final String handOver;
  private final String handOverUnlessOthersWait;
  private final String force;

  MySqlRowLeases(LeaseHome home, Dialect dialect) {
    this.home = home;
    this.sql = home.sql();
    this.othersFirst = new OthersFirst(home);
    this.returns = dialect.insertReturnsRow();
    this.take = upsert(INSERT + TAKE, dialect);
    this.takeOrMark = upsert(INSERT + MARK + TAKE, dialect);
    this.read = sql.text("SELECT " + TOLD + " FROM {lease} WHERE" + LeaseSql.KEY);
    this.renew =
        sql.text("UPDATE {lease} SET expires_at = {now+} WHERE" + MINE + " AND NOT released");
    this.handOver = sql.text(HAND_OVER);
    this.handOverUnlessOthersWait = sql.text(HAND_OVER + " AND NOT " + OthersFirst.WAIT);
    this.force =
        sql.text(
            "UPDATE {lease} SET token = LAST_INSERT_ID(GREATEST(token + 1, {micros})), owner ="
                + " NULL, waiting = NULL, told = NULL, released = true WHERE"
                + LeaseSql.KEY
                + "AND NOT released AND expires_at > {now}");
  }

  private String upsert(String template, Dialect dialect) {
    String upsert = template.replace("FREE", FREE).replace("GRANTED", GRANTED);
    return sql.text(returns ? dialect.returning(upsert, TOLD) : upsert);
  }

  @Override
  public Acquired acquire(Request request) {
    Waiting waiting = request.waiting();
    String statement = waiting == null ? take : takeOrMark;
    Duration mark = waiting == null ? Duration.ZERO : waiting.mark();
    LeaseKey key = request.key();
    return home.step(
        "acquiring",
        key,
        connection -> {
          Object[] values = {
            sql.shard(key),
            key.kind(),
            sql.name(key.name()),
            request.owner(),
            request.holder(),
            request.lease(),
            mark
          };
          if (returns) {
            return sql.last(
                    connection, statement, row -> MarkedRow.answer(sql, row, request), values)
                .orElseThrow();
          }
          sql.update(connection, statement, values);
          return look(connection, request);
        });
  }

  /** The owner is of this acquisition only: where it is there, this is its grant. */
  private Acquired look(Connection connection, Request request) throws SQLException {
    LeaseKey key = request.key();
    return sql.first(
            connection,
            read,
            row -> MarkedRow.answer(sql, row, request),
            sql.shard(key),
            key.kind(),
            sql.name(key.name()))
        .orElseGet(() -> new Acquired.Taken(Duration.ZERO));
  }

  @Override
  public boolean renew(Hold hold, Duration lease) {
    LeaseKey key = hold.key();
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
                sql.name(key.name()),
                hold.owner()));
  }

  @Override
  public Freed release(Hold hold) {
    return othersFirst.release(hold);
  }

  @Override
  public Freed handOver(Hold hold, Successor successor) {
    LeaseKey key = hold.key();
    Request next = successor.next();
    Optional<Freed> handed =
        home.step(
            "handing over",
            key,
            connection -> {
              int rows =
                  sql.update(
                      connection,
                      successor.unlessOthersWait() ? handOverUnlessOthersWait : handOver,
                      next.owner(),
                      next.holder(),
                      next.lease(),
                      sql.shard(key),
                      key.kind(),
                      sql.name(key.name()),
                      hold.owner());
              return rows == 1
                  ? Optional.of(handed(look(connection, next)))
                  : Optional.<Freed>empty();
            });
    return handed.orElseGet(
        () ->
            successor.unlessOthersWait() ? othersFirst.releaseAndWait(hold) : new Freed.WasLost());
  }

  /** Where it is gone already, its new owner finds out by asking. */
  private static Freed handed(Acquired answer) {
    return answer instanceof Acquired.Granted granted
        ? new Freed.HandedOver(granted.token())
        : new Freed.Released();
  }

  @Override
  public OptionalLong forceRelease(LeaseKey key) {
    return home.step(
        "taking away",
        key,
        connection -> {
          Object name = sql.name(key.name());
          int rows = sql.update(connection, force, sql.shard(key), key.kind(), name);
          return rows == 0
              ? OptionalLong.empty()
              : OptionalLong.of(sql.first(connection, FORCED, row -> row.getLong(1)).orElseThrow());
        });
  }

  @Override
  public void withdraw(LeaseKey key, String holder) {
    othersFirst.withdraw(key, holder);
  }
}
