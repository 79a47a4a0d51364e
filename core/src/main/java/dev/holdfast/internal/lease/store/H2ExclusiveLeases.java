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
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Exclusive leases on H2, which has no upsert that locks: the row is updated, or inserted if it
 * does not exist. The first insert has the lease; the others start again.
 */
final class H2ExclusiveLeases extends PollingExclusiveLeases {
  private static final String FREE =
      "(released AND " + NOT_OFFERED.formatted("?") + " OR expires_at <= {now} OR owner = ?)";

  private static final String TAKE =
      """
      SELECT owner, token, {left} FROM FINAL TABLE (UPDATE {lease} SET \
      token = CASE WHEN owner = ? AND NOT released AND expires_at > {now} THEN token \
      WHEN FREE THEN GREATEST(token + 1, {micros}) ELSE token END, \
      owner = CASE WHEN FREE THEN ? ELSE owner END, \
      holder = CASE WHEN FREE THEN ? ELSE holder END, \
      released = CASE WHEN FREE THEN false ELSE released END, \
      acquired_at = CASE WHEN FREE THEN {now} ELSE acquired_at END, \
      expires_at = CASE WHEN FREE THEN {now+} ELSE expires_at END""";

  /** If the lease is not free, it registers this process as a waiter, or several as {@code *}. */
  private static final String MARK =
      """
      , waiting = CASE WHEN FREE THEN waiting WHEN waiting IS NULL OR waiting_until <= {now} \
      OR waiting = ? THEN CAST(? AS varchar) ELSE '*' END, \
      waiting_until = CASE WHEN FREE THEN waiting_until ELSE {now+} END""";

  private static final String INSERT =
      """
      SELECT owner, token, {left} FROM FINAL TABLE (INSERT INTO {lease} (shard, kind, name, token, \
      owner, holder, released, acquired_at, expires_at, arrivals) \
      VALUES (?, ?, ?, {micros}, ?, ?, false, {now}, {now+}, 0))""";

  private static final String OF_KEY = " WHERE" + LeaseTables.KEY + ")";

  private static final String MINE = LeaseTables.KEY + "AND owner = ? AND expires_at > {now}";

  private static final String HAND_OVER =
      """
      SELECT token FROM FINAL TABLE (UPDATE {lease} SET token = GREATEST(token + 1, {micros}), \
      owner = ?, holder = ?, released = false, acquired_at = {now}, expires_at = {now+} WHERE"""
          + MINE;

  private final String take;
  private final String takeOrMark;
  private final String insert;
  private final String handOver;
  private final String handOverUnlessOthersWait;
  private final String force;

  H2ExclusiveLeases(LeaseTables tables) {
    super(tables);
    this.take = tables.text((TAKE + OF_KEY).replace("FREE", FREE));
    this.takeOrMark = tables.text((TAKE + MARK + OF_KEY).replace("FREE", FREE));
    this.insert = tables.text(INSERT);
    this.handOver = tables.text(HAND_OVER + ")");
    this.handOverUnlessOthersWait = tables.text(HAND_OVER + " AND NOT " + WAIT + ")");
    this.force =
        tables.text(
            "SELECT token FROM FINAL TABLE (UPDATE {lease} SET token = GREATEST(token + 1,"
                + " {micros}), owner = NULL, waiting = NULL, told = NULL, released = true WHERE"
                + LeaseTables.KEY
                + "AND NOT released AND expires_at > {now})");
  }

  @Override
  AcquireResult acquire(Request request) {
    return tables.step(
        "acquiring",
        request.key(),
        connection -> {
          Optional<AcquireResult> changed = changed(connection, request);
          return changed.isPresent() ? changed.get() : inserted(connection, request);
        });
  }

  private Optional<AcquireResult> changed(Connection connection, Request request)
      throws SQLException {
    LeaseKey key = request.key();
    UUID owner = request.ownerId();
    String holder = request.instanceName();
    WaitRegistration waiting = request.waitRegistration();
    // in the order of the columns: each checks by the holder and the owner whether it is free
    List<Object> values = new ArrayList<>();
    Collections.addAll(values, owner, holder, owner);
    Collections.addAll(values, holder, owner, owner);
    Collections.addAll(values, holder, owner, holder);
    Collections.addAll(values, holder, owner);
    Collections.addAll(values, holder, owner);
    Collections.addAll(values, holder, owner, request.duration());
    if (waiting != null) {
      Collections.addAll(values, holder, owner, holder, holder);
      Collections.addAll(values, holder, owner, waiting.duration());
    }
    Collections.addAll(values, key);
    return tables.first(
        connection,
        waiting == null ? take : takeOrMark,
        row -> result(row, request),
        values.toArray());
  }

  private AcquireResult inserted(Connection connection, Request request) throws SQLException {
    LeaseKey key = request.key();
    return tables
        .first(
            connection,
            insert,
            row -> result(row, request),
            key,
            request.ownerId(),
            request.instanceName(),
            request.duration())
        .orElseThrow();
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
    return tables.first(connection, force, row -> row.getLong(1), key);
  }
}
