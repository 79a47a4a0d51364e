package dev.holdfast.internal.lease.store;

import dev.holdfast.internal.sql.Dialect;
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
import java.util.OptionalLong;

/**
 * Exclusive leases on MariaDB and MySQL. On MariaDB each step is one statement. MySQL does not
 * return rows, so an acquisition reads its result there.
 *
 * <p>Assignments run from left to right, and each sees those before it. So the old row decides
 * whether the lease is free until {@code owner} is assigned, and the new owner after that.
 */
final class MySqlExclusiveLeaseStatements implements ExclusiveLeaseStatements {
  private static final String FREE =
      "(released AND "
          + ReleaseFairness.NOT_OFFERED.formatted("VALUES(holder)")
          + " OR expires_at <= VALUES(acquired_at) OR owner = VALUES(owner))";

  private static final String GRANTED = "owner = VALUES(owner)";

  private static final String INSERT =
      """
      INSERT INTO {lease} (shard, kind, name, token, owner, holder, released, acquired_at, \
      expires_at, waiting_until, arrivals) \
      VALUES (?, ?, ?, {micros}, ?, ?, false, {now}, {now+}, {now+}, 0) ON DUPLICATE KEY UPDATE\s\
      """;

  /** If the lease is not free, it registers this process as a waiter, or several as {@code *}. */
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

  private static final String COLUMNS = "owner, token, {left}";

  private static final String MINE = LeaseSql.KEY + "AND owner = ? AND expires_at > {now}";

  private static final String HAND_OVER =
      """
      UPDATE {lease} SET token = GREATEST(token + 1, {micros}), owner = ?, holder = ?, \
      released = false, acquired_at = {now}, expires_at = {now+} WHERE\
      """
          + MINE;

  /** The token that this connection has set: another holder may have the row by now. */
  private static final String FORCED = "SELECT LAST_INSERT_ID()";

  private final LeaseHome home;
  private final LeaseSql sql;
  private final ReleaseFairness fairness;
  private final boolean returns;
  private final String take;
  private final String takeOrMark;
  private final String read;
  private final String renew;
  private final String handOver;
  private final String handOverUnlessOthersWait;
  private final String force;

  MySqlExclusiveLeaseStatements(LeaseHome home, Dialect dialect) {
    this.home = home;
    this.sql = home.sql();
    this.fairness = new ReleaseFairness(home);
    this.returns = dialect.insertReturnsRow();
    this.take = upsert(INSERT + TAKE, dialect);
    this.takeOrMark = upsert(INSERT + MARK + TAKE, dialect);
    this.read = sql.text("SELECT " + COLUMNS + " FROM {lease} WHERE" + LeaseSql.KEY);
    this.renew =
        sql.text("UPDATE {lease} SET expires_at = {now+} WHERE" + MINE + " AND NOT released");
    this.handOver = sql.text(HAND_OVER);
    this.handOverUnlessOthersWait = sql.text(HAND_OVER + " AND NOT " + ReleaseFairness.WAIT);
    this.force =
        sql.text(
            "UPDATE {lease} SET token = LAST_INSERT_ID(GREATEST(token + 1, {micros})), owner ="
                + " NULL, waiting = NULL, told = NULL, released = true WHERE"
                + LeaseSql.KEY
                + "AND NOT released AND expires_at > {now}");
  }

  private String upsert(String template, Dialect dialect) {
    String upsert = template.replace("FREE", FREE).replace("GRANTED", GRANTED);
    return sql.text(returns ? dialect.returning(upsert, COLUMNS) : upsert);
  }

  @Override
  public AcquireResult acquire(Request request) {
    WaitRegistration waiting = request.waitRegistration();
    String statement = waiting == null ? take : takeOrMark;
    Duration mark = waiting == null ? Duration.ZERO : waiting.duration();
    LeaseKey key = request.key();
    return home.step(
        "acquiring",
        key,
        connection -> {
          Object[] values = {
            sql.shard(key),
            key.kind(),
            sql.name(key.name()),
            request.ownerId(),
            request.instanceName(),
            request.duration(),
            mark
          };
          if (returns) {
            return sql.last(
                    connection, statement, row -> AcquireRow.result(sql, row, request), values)
                .orElseThrow();
          }
          sql.update(connection, statement, values);
          return readResult(connection, request);
        });
  }

  /** The owner id belongs to this acquisition only: if the row has it, the lease was granted. */
  private AcquireResult readResult(Connection connection, Request request) throws SQLException {
    LeaseKey key = request.key();
    return sql.first(
            connection,
            read,
            row -> AcquireRow.result(sql, row, request),
            sql.shard(key),
            key.kind(),
            sql.name(key.name()))
        .orElseGet(() -> new AcquireResult.Rejected(Duration.ZERO));
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
                sql.name(key.name()),
                ownership.ownerId()));
  }

  @Override
  public ReleaseResult release(Ownership ownership) {
    return fairness.release(ownership);
  }

  @Override
  public ReleaseResult handOver(Ownership ownership, Successor successor) {
    LeaseKey key = ownership.key();
    Request next = successor.next();
    Optional<ReleaseResult> handed =
        home.step(
            "handing over",
            key,
            connection -> {
              int rows =
                  sql.update(
                      connection,
                      successor.unlessOthersWait() ? handOverUnlessOthersWait : handOver,
                      next.ownerId(),
                      next.instanceName(),
                      next.duration(),
                      sql.shard(key),
                      key.kind(),
                      sql.name(key.name()),
                      ownership.ownerId());
              return rows == 1
                  ? Optional.of(handed(readResult(connection, next)))
                  : Optional.<ReleaseResult>empty();
            });
    return handed.orElseGet(
        () ->
            successor.unlessOthersWait()
                ? fairness.releaseAndWait(ownership)
                : new ReleaseResult.Lost());
  }

  /** If the row has changed again, its new owner finds out by its own request. */
  private static ReleaseResult handed(AcquireResult answer) {
    return answer instanceof AcquireResult.Granted granted
        ? new ReleaseResult.HandedOver(granted.token())
        : new ReleaseResult.Released();
  }

  @Override
  public OptionalLong forceRelease(LeaseKey key) {
    return home.step(
        "force releasing",
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
  public void cancelWait(LeaseKey key, String holder) {
    fairness.cancelWait(key, holder);
  }
}
