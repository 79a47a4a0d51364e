package dev.holdfast.internal.lease.store;

import dev.holdfast.internal.lease.store.SharedLeaseStore.LockedRow;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.spi.LeaseStore.Ownership;
import dev.holdfast.lease.spi.LeaseStore.Request;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The statements of {@link SharedLeaseStore}; databases differ in two of them. */
class SharedLeaseStatements {
  private static final String LOCK =
      "SELECT owner, token, released, {left}, arrivals, {micros}, told, holder FROM {lease} WHERE"
          + LeaseSql.KEY
          + "FOR UPDATE";

  static final String MAKE =
      """
      INSERT INTO {lease} (shard, kind, name, token, released, acquired_at, expires_at, arrivals) \
      VALUES (?, ?, ?, 0, true, {now}, {now}, 0)\
      """;

  private static final String ENTRIES =
      "SELECT owner, held, arrival, token, permits, {left} FROM {lease_entry} WHERE"
          + LeaseSql.KEY
          + "ORDER BY arrival";

  private static final String REMOVE =
      "DELETE FROM {lease_entry} WHERE" + LeaseSql.KEY + "AND owner = ?";

  private static final String REMOVE_DEAD =
      "DELETE FROM {lease_entry} WHERE" + LeaseSql.KEY + "AND expires_at <= {now}";

  private static final String REMOVE_HOLDERS =
      "DELETE FROM {lease_entry} WHERE" + LeaseSql.KEY + "AND held = true";

  private static final String HOLD =
      """
      UPDATE {lease} SET token = ?, owner = ?, holder = ?, released = false, acquired_at = {now}, \
      expires_at = {now+}, waiting =\s\
      """;

  /** All waiters are notified of its release, also those that are not queued. */
  private static final String HOLD_BEFORE_OTHERS =
      HOLD
          + """
          ?, waiting_until = CASE WHEN waiting_until > {now+} THEN waiting_until ELSE {now+} END \
          WHERE\
          """
          + LeaseSql.KEY;

  /** Removes the value of a queue that is empty now, and keeps waiters that are not queued. */
  private static final String HOLD_ALONE =
      HOLD + "CASE WHEN waiting LIKE '*_%' THEN NULL ELSE waiting END WHERE" + LeaseSql.KEY;

  /** The row lasts at least as long as its entries. */
  private static final String RAISE =
      "UPDATE {lease} SET token = ?, acquired_at = {now}, expires_at = {now} WHERE" + LeaseSql.KEY;

  /** Stores the last releasing owner, for a repetition after its response was lost. */
  private static final String REMEMBER = "UPDATE {lease} SET owner = ? WHERE" + LeaseSql.KEY;

  private static final String ADD =
      """
      INSERT INTO {lease_entry} (shard, kind, name, owner, held, arrival, token, permits, holder, \
      expires_at) VALUES (?, ?, ?, ?, HELD, ?, ?, ?, ?, {now+})\
      """;

  private static final String STAY =
      "UPDATE {lease_entry} SET expires_at = {now+} WHERE" + LeaseSql.KEY + "AND owner = ?";

  /**
   * The release of an exclusive lease reads the registration. Waiters that are not queued may rely
   * on it for longer.
   */
  private static final String MARK =
      """
      UPDATE {lease} SET arrivals = ?, waiting = ?, waiting_until = \
      CASE WHEN waiting_until > {now+} THEN waiting_until ELSE {now+} END WHERE\
      """
          + LeaseSql.KEY;

  private static final String RENEW_SHARED =
      "UPDATE {lease_entry} SET expires_at = {now+} WHERE"
          + LeaseSql.KEY
          + "AND owner = ? AND held = true AND expires_at > {now}";

  private static final String HAS =
      "SELECT held FROM {lease_entry} WHERE" + LeaseSql.KEY + "AND owner = ?";

  final LeaseSql sql;

  SharedLeaseStatements(LeaseSql sql) {
    this.sql = sql;
  }

  final LockedRow lock(Connection connection, LeaseKey key) throws SQLException {
    Optional<LockedRow> row = tryLock(connection, key);
    if (row.isEmpty()) {
      make(connection, key);
      row = tryLock(connection, key);
    }
    return row.orElseThrow(() -> new SQLException("the row of the lease " + key + " is gone"));
  }

  private Optional<LockedRow> tryLock(Connection connection, LeaseKey key) throws SQLException {
    return sql.first(
        connection,
        sql.text(LOCK),
        row ->
            new LockedRow(
                sql.owner(row, 1),
                row.getLong(2),
                row.getBoolean(3),
                row.getLong(4),
                row.getLong(5),
                row.getLong(6),
                row.getString(7),
                row.getString(8)),
        sql.shard(key),
        key.kind(),
        sql.name(key.name()));
  }

  /** Whether the lease was released and is offered to another instance than this one. */
  boolean isOfferedToOthers(LockedRow row, String holder) {
    String told = row.told();
    return row.isOffered() && told != null && !told.startsWith("*") && !told.equals(holder);
  }

  /** Inserts the row of a key unless it exists. */
  void make(Connection connection, LeaseKey key) throws SQLException {
    sql.update(
        connection,
        sql.text(MAKE + " ON CONFLICT (shard, kind, name) DO NOTHING"),
        sql.shard(key),
        key.kind(),
        sql.name(key.name()));
  }

  final List<LeaseEntry> entries(Connection connection, LeaseKey key) throws SQLException {
    return sql.query(
        connection,
        sql.text(ENTRIES),
        row ->
            new LeaseEntry(
                Objects.requireNonNull(sql.owner(row, 1)),
                row.getBoolean(2),
                row.getLong(3),
                row.getLong(4),
                row.getInt(5),
                row.getLong(6)),
        sql.shard(key),
        key.kind(),
        sql.name(key.name()));
  }

  private int ofKey(Connection connection, String statement, LeaseKey key) throws SQLException {
    return sql.update(
        connection, sql.text(statement), sql.shard(key), key.kind(), sql.name(key.name()));
  }

  final void removeDead(Connection connection, LeaseKey key) throws SQLException {
    ofKey(connection, REMOVE_DEAD, key);
  }

  final void removeHolders(Connection connection, LeaseKey key) throws SQLException {
    ofKey(connection, REMOVE_HOLDERS, key);
  }

  final void remove(Connection connection, LeaseKey key, UUID owner) throws SQLException {
    sql.update(
        connection, sql.text(REMOVE), sql.shard(key), key.kind(), sql.name(key.name()), owner);
  }

  final boolean has(Connection connection, Ownership ownership) throws SQLException {
    LeaseKey key = ownership.key();
    return sql.first(
            connection,
            sql.text(HAS),
            row -> row.getBoolean(1),
            sql.shard(key),
            key.kind(),
            sql.name(key.name()),
            ownership.ownerId())
        .isPresent();
  }

  final int renewShared(Connection connection, Ownership ownership, Duration duration)
      throws SQLException {
    LeaseKey key = ownership.key();
    return sql.update(
        connection,
        sql.text(RENEW_SHARED),
        duration,
        sql.shard(key),
        key.kind(),
        sql.name(key.name()),
        ownership.ownerId());
  }

  /**
   * Grants the exclusive lease to this request.
   *
   * @param next the value of the queue that is notified of its release, or null
   * @param waited how long the queue lasts
   */
  final void holdExclusive(
      Connection connection, Request request, long token, @Nullable String next, Duration waited)
      throws SQLException {
    LeaseKey key = request.key();
    Object name = sql.name(key.name());
    if (next == null) {
      sql.update(
          connection,
          sql.text(HOLD_ALONE),
          token,
          request.ownerId(),
          request.instanceName(),
          request.duration(),
          sql.shard(key),
          key.kind(),
          name);
    } else {
      sql.update(
          connection,
          sql.text(HOLD_BEFORE_OTHERS),
          token,
          request.ownerId(),
          request.instanceName(),
          request.duration(),
          next,
          waited,
          waited,
          sql.shard(key),
          key.kind(),
          name);
    }
  }

  final void raise(Connection connection, LeaseKey key, long token) throws SQLException {
    sql.update(
        connection, sql.text(RAISE), token, sql.shard(key), key.kind(), sql.name(key.name()));
  }

  final void remember(Connection connection, Ownership ownership) throws SQLException {
    LeaseKey key = ownership.key();
    sql.update(
        connection,
        sql.text(REMEMBER),
        ownership.ownerId(),
        sql.shard(key),
        key.kind(),
        sql.name(key.name()));
  }

  /** Makes this request one of the holders. */
  final void holdShared(Connection connection, Request request, long token) throws SQLException {
    remove(connection, request.key(), request.ownerId());
    add(connection, request, "true", 0, token, request.duration());
    raise(connection, request.key(), token);
  }

  /** Adds this request to the queue, or extends its place there. */
  final void enqueue(
      Connection connection,
      Request request,
      Duration mark,
      boolean known,
      long arrival,
      String next)
      throws SQLException {
    LeaseKey key = request.key();
    Object name = sql.name(key.name());
    if (known) {
      sql.update(
          connection, sql.text(STAY), mark, sql.shard(key), key.kind(), name, request.ownerId());
    } else {
      add(connection, request, "false", arrival, 0, mark);
    }
    if (!known || key.kind() == LeaseKey.Kind.EXCLUSIVE) {
      sql.update(
          connection, sql.text(MARK), arrival, next, mark, mark, sql.shard(key), key.kind(), name);
    }
  }

  private void add(
      Connection connection, Request request, String held, long arrival, long token, Duration time)
      throws SQLException {
    LeaseKey key = request.key();
    sql.update(
        connection,
        sql.text(ADD).replace("HELD", held),
        sql.shard(key),
        key.kind(),
        sql.name(key.name()),
        request.ownerId(),
        arrival,
        token,
        request.target().permits(),
        request.instanceName(),
        time);
  }
}
