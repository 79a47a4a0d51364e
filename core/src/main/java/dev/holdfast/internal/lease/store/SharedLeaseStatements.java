package dev.holdfast.internal.lease.store;

import dev.holdfast.internal.lease.store.SharedLeaseStore.LockedRow;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.spi.LeaseStore.Ownership;
import dev.holdfast.lease.spi.LeaseStore.Request;
import dev.holdfast.transaction.SqlError;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The statements of {@link SharedLeaseStore}. */
final class SharedLeaseStatements {
  private static final String LOCK =
      "SELECT owner, token, released, {left}, arrivals, {micros}, told, holder FROM {lease} WHERE"
          + LeaseTables.KEY
          + "FOR UPDATE";

  private static final String MAKE =
      """
      INSERT INTO {lease} (shard, kind, name, token, released, acquired_at, expires_at, arrivals) \
      VALUES (?, ?, ?, 0, true, {now}, {now}, 0)""";

  private static final String ENTRIES =
      "SELECT owner, held, arrival, token, permits, {left} FROM {lease_entry} WHERE"
          + LeaseTables.KEY
          + "ORDER BY arrival";

  private static final String REMOVE =
      "DELETE FROM {lease_entry} WHERE" + LeaseTables.KEY + "AND owner = ?";

  private static final String REMOVE_DEAD =
      "DELETE FROM {lease_entry} WHERE" + LeaseTables.KEY + "AND expires_at <= {now}";

  private static final String REMOVE_HOLDERS =
      "DELETE FROM {lease_entry} WHERE" + LeaseTables.KEY + "AND held = true";

  private static final String HOLD =
      """
      UPDATE {lease} SET token = ?, owner = ?, holder = ?, released = false, acquired_at = {now}, \
      expires_at = {now+}, waiting =\s""";

  /** All waiters are notified of its release, also those that are not queued. */
  private static final String HOLD_BEFORE_OTHERS =
      HOLD
          + """
          ?, waiting_until = CASE WHEN waiting_until > {now+} THEN waiting_until ELSE {now+} END \
          WHERE"""
          + LeaseTables.KEY;

  /** Removes the value of a queue that is empty now, and keeps waiters that are not queued. */
  private static final String HOLD_ALONE =
      HOLD + "CASE WHEN waiting LIKE '*_%' THEN NULL ELSE waiting END WHERE" + LeaseTables.KEY;

  /** The row lasts at least as long as its entries. */
  private static final String RAISE =
      "UPDATE {lease} SET token = ?, acquired_at = {now}, expires_at = {now} WHERE"
          + LeaseTables.KEY;

  /** Stores the last releasing owner, for a repetition after its response was lost. */
  private static final String REMEMBER = "UPDATE {lease} SET owner = ? WHERE" + LeaseTables.KEY;

  private static final String ADD =
      """
      INSERT INTO {lease_entry} (shard, kind, name, owner, held, arrival, token, permits, holder, \
      expires_at) VALUES (?, ?, ?, ?, HELD, ?, ?, ?, ?, {now+})""";

  private static final String STAY =
      "UPDATE {lease_entry} SET expires_at = {now+} WHERE" + LeaseTables.KEY + "AND owner = ?";

  /**
   * The release of an exclusive lease reads the registration. Waiters that are not queued may rely
   * on it for longer.
   */
  private static final String MARK =
      """
      UPDATE {lease} SET arrivals = ?, waiting = ?, waiting_until = \
      CASE WHEN waiting_until > {now+} THEN waiting_until ELSE {now+} END WHERE"""
          + LeaseTables.KEY;

  private static final String RENEW_SHARED =
      "UPDATE {lease_entry} SET expires_at = {now+} WHERE"
          + LeaseTables.KEY
          + "AND owner = ? AND held = true AND expires_at > {now}";

  private static final String HAS =
      "SELECT held FROM {lease_entry} WHERE" + LeaseTables.KEY + "AND owner = ?";

  private final LeaseTables tables;
  private final String make;

  SharedLeaseStatements(LeaseTables tables) {
    this.tables = tables;
    this.make = tables.text(MAKE + tables.dialect().unlessExists("shard, kind, name", "arrivals"));
  }

  LockedRow lock(Connection connection, LeaseKey key) throws SQLException {
    Optional<LockedRow> row = tryLock(connection, key);
    if (row.isEmpty()) {
      make(connection, key);
      row = tryLock(connection, key);
    }
    return row.orElseThrow(() -> new SQLException("the row of the lease " + key + " is gone"));
  }

  private Optional<LockedRow> tryLock(Connection connection, LeaseKey key) throws SQLException {
    return tables.first(
        connection,
        tables.text(LOCK),
        row ->
            new LockedRow(
                tables.owner(row, 1),
                row.getLong(2),
                row.getBoolean(3),
                row.getLong(4),
                row.getLong(5),
                row.getLong(6),
                row.getString(7),
                row.getString(8)),
        key);
  }

  /** Inserts the row of a key unless it exists. */
  private void make(Connection connection, LeaseKey key) throws SQLException {
    try {
      tables.update(connection, make, key);
    } catch (SQLException e) {
      // only on H2: the transaction continues, because only the statement is undone
      if (SqlError.of(e) != SqlError.UNIQUE_VIOLATION) {
        throw e;
      }
    }
  }

  List<LeaseEntry> entries(Connection connection, LeaseKey key) throws SQLException {
    return tables.query(
        connection,
        tables.text(ENTRIES),
        row ->
            new LeaseEntry(
                Objects.requireNonNull(tables.owner(row, 1)),
                row.getBoolean(2),
                row.getLong(3),
                row.getLong(4),
                row.getInt(5),
                row.getLong(6)),
        key);
  }

  private int ofKey(Connection connection, String statement, LeaseKey key) throws SQLException {
    return tables.update(connection, tables.text(statement), key);
  }

  void removeDead(Connection connection, LeaseKey key) throws SQLException {
    ofKey(connection, REMOVE_DEAD, key);
  }

  void removeHolders(Connection connection, LeaseKey key) throws SQLException {
    ofKey(connection, REMOVE_HOLDERS, key);
  }

  void remove(Connection connection, LeaseKey key, UUID owner) throws SQLException {
    tables.update(connection, tables.text(REMOVE), key, owner);
  }

  boolean has(Connection connection, Ownership ownership) throws SQLException {
    LeaseKey key = ownership.key();
    return tables
        .first(connection, tables.text(HAS), row -> row.getBoolean(1), key, ownership.ownerId())
        .isPresent();
  }

  int renewShared(Connection connection, Ownership ownership, Duration duration)
      throws SQLException {
    LeaseKey key = ownership.key();
    return tables.update(connection, tables.text(RENEW_SHARED), duration, key, ownership.ownerId());
  }

  /**
   * Grants the exclusive lease to this request.
   *
   * @param next the value of the queue that is notified of its release, or null
   * @param waited how long the queue lasts
   */
  void holdExclusive(
      Connection connection, Request request, long token, @Nullable String next, Duration waited)
      throws SQLException {
    LeaseKey key = request.key();
    if (next == null) {
      tables.update(
          connection,
          tables.text(HOLD_ALONE),
          token,
          request.ownerId(),
          request.instanceName(),
          request.duration(),
          key);
    } else {
      tables.update(
          connection,
          tables.text(HOLD_BEFORE_OTHERS),
          token,
          request.ownerId(),
          request.instanceName(),
          request.duration(),
          next,
          waited,
          waited,
          key);
    }
  }

  void raise(Connection connection, LeaseKey key, long token) throws SQLException {
    tables.update(connection, tables.text(RAISE), token, key);
  }

  void remember(Connection connection, Ownership ownership) throws SQLException {
    LeaseKey key = ownership.key();
    tables.update(connection, tables.text(REMEMBER), ownership.ownerId(), key);
  }

  /** Makes this request one of the holders. */
  void holdShared(Connection connection, Request request, long token) throws SQLException {
    remove(connection, request.key(), request.ownerId());
    add(connection, request, "true", 0, token, request.duration());
    raise(connection, request.key(), token);
  }

  /** Adds this request to the queue, or extends its place there. */
  void enqueue(
      Connection connection,
      Request request,
      Duration mark,
      boolean known,
      long arrival,
      String next)
      throws SQLException {
    LeaseKey key = request.key();
    if (known) {
      tables.update(connection, tables.text(STAY), mark, key, request.ownerId());
    } else {
      add(connection, request, "false", arrival, 0, mark);
    }
    if (!known || key.kind() == LeaseKey.Kind.EXCLUSIVE) {
      tables.update(connection, tables.text(MARK), arrival, next, mark, mark, key);
    }
  }

  private void add(
      Connection connection, Request request, String held, long arrival, long token, Duration time)
      throws SQLException {
    LeaseKey key = request.key();
    tables.update(
        connection,
        tables.text(ADD).replace("HELD", held),
        key,
        request.ownerId(),
        arrival,
        token,
        request.target().permits(),
        request.instanceName(),
        time);
  }
}
