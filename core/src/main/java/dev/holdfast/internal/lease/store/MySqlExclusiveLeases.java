package dev.holdfast.internal.lease.store;

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
 * Exclusive leases on MariaDB and MySQL. On MariaDB each step is one statement. MySQL does not
 * return rows, so an acquisition reads its result there.
 *
 * <p>Assignments run from left to right, and each sees those before it. So the old row decides
 * whether the lease is free until {@code owner} is assigned, and the new owner after that.
 */
final class MySqlExclusiveLeases extends PollingExclusiveLeases {
  private static final String FREE =
      "(released AND "
          + NOT_OFFERED.formatted("VALUES(holder)")
          + " OR expires_at <= VALUES(acquired_at) OR owner = VALUES(owner))";

  private static final String GRANTED = "owner = VALUES(owner)";

  private static final String INSERT =
      """
      INSERT INTO {lease} (shard, kind, name, token, owner, holder, released, acquired_at, \
      expires_at, waiting_until, arrivals) \
      VALUES (?, ?, ?, {micros}, ?, ?, false, {now}, {now+}, {now+}, 0) ON DUPLICATE KEY UPDATE\s""";

  /** If the lease is not free, it registers this process as a waiter, or several as {@code *}. */
  private static final String MARK =
      """
      waiting = IF(FREE, waiting, IF(waiting IS NULL OR waiting_until <= VALUES(acquired_at) \
      OR waiting = VALUES(holder), VALUES(holder), '*')), \
      waiting_until = IF(FREE, waiting_until, VALUES(waiting_until)),\s""";

  private static final String TAKE =
      """
      token = IF(FREE, IF(owner = VALUES(owner) AND NOT released \
      AND expires_at > VALUES(acquired_at), token, GREATEST(token + 1, VALUES(token))), token), \
      owner = IF(FREE, VALUES(owner), owner), \
      holder = IF(GRANTED, VALUES(holder), holder), \
      acquired_at = IF(GRANTED, VALUES(acquired_at), acquired_at), \
      expires_at = IF(GRANTED, VALUES(expires_at), expires_at), \
      released = IF(GRANTED, false, released)""";

  private static final String COLUMNS = "owner, token, {left}";

  private static final String MINE = LeaseTables.KEY + "AND owner = ? AND expires_at > {now}";

  private static final String HAND_OVER =
      """
      UPDATE {lease} SET token = GREATEST(token + 1, {micros}), owner = ?, holder = ?, \
      released = false, acquired_at = {now}, expires_at = {now+} WHERE"""
          + MINE;

  /** The token that this connection has set: another holder may have the row by now. */
  private static final String FORCED = "SELECT LAST_INSERT_ID()";

  private final boolean returns;
  private final String take;
  private final String takeOrMark;
  private final String read;
  private final String handOver;
  private final String handOverUnlessOthersWait;
  private final String force;

  MySqlExclusiveLeases(LeaseTables tables) {
    super(tables);
    this.returns = tables.dialect().insertReturnsRow();
    this.take = upsert(INSERT + TAKE);
    this.takeOrMark = upsert(INSERT + MARK + TAKE);
    this.read = tables.text("SELECT " + COLUMNS + " FROM {lease} WHERE" + LeaseTables.KEY);
    this.handOver = tables.text(HAND_OVER);
    this.handOverUnlessOthersWait = tables.text(HAND_OVER + " AND NOT " + WAIT);
    this.force =
        tables.text(
            "UPDATE {lease} SET token = LAST_INSERT_ID(GREATEST(token + 1, {micros})), owner ="
                + " NULL, waiting = NULL, told = NULL, released = true WHERE"
                + LeaseTables.KEY
                + "AND NOT released AND expires_at > {now}");
  }

  private String upsert(String template) {
    String upsert = template.replace("FREE", FREE).replace("GRANTED", GRANTED);
    return tables.text(returns ? tables.dialect().returning(upsert, COLUMNS) : upsert);
  }

  @Override
  AcquireResult acquire(Request request) {
    WaitRegistration waiting = request.waitRegistration();
    String statement = waiting == null ? take : takeOrMark;
    Duration mark = waiting == null ? Duration.ZERO : waiting.duration();
    LeaseKey key = request.key();
    return tables.step(
        "acquiring",
        key,
        connection -> {
          Object[] values = {
            key, request.ownerId(), request.instanceName(), request.duration(), mark
          };
          if (returns) {
            return tables
                .last(connection, statement, row -> result(row, request), values)
                .orElseThrow();
          }
          tables.update(connection, statement, values);
          return readResult(connection, request);
        });
  }

  /** The owner id belongs to this acquisition only: if the row has it, the lease was granted. */
  private AcquireResult readResult(Connection connection, Request request) throws SQLException {
    LeaseKey key = request.key();
    return tables
        .first(connection, read, row -> result(row, request), key)
        .orElseGet(() -> new AcquireResult.Rejected(Duration.ZERO));
  }

  @Override
  Optional<ReleaseResult> handOver(Connection connection, Ownership ownership, Successor successor)
      throws SQLException {
    Request next = successor.next();
    int rows =
        tables.update(
            connection,
            successor.unlessOthersWait() ? handOverUnlessOthersWait : handOver,
            next.ownerId(),
            next.instanceName(),
            next.duration(),
            ownership.key(),
            ownership.ownerId());
    return rows == 1 ? Optional.of(handed(readResult(connection, next))) : Optional.empty();
  }

  /** If the row has changed again, its new owner finds out by its own request. */
  private static ReleaseResult handed(AcquireResult result) {
    return result instanceof AcquireResult.Granted granted
        ? new ReleaseResult.HandedOver(granted.token())
        : new ReleaseResult.Released();
  }

  @Override
  Optional<Long> forceRelease(Connection connection, LeaseKey key) throws SQLException {
    return tables.update(connection, force, key) == 0
        ? Optional.empty()
        : tables.first(connection, FORCED, row -> row.getLong(1));
  }
}
