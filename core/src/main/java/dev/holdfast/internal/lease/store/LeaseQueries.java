package dev.holdfast.internal.lease.store;

import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseRecord;
import dev.holdfast.lease.spi.LeaseStore.Ownership;
import dev.holdfast.lease.spi.LeaseStore.ReleaseResult;
import dev.holdfast.lease.spi.LeaseStore.Successor;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The queries of leases for operators, and the pruning of unused leases. */
final class LeaseQueries {
  private static final LeaseKey ANY = LeaseKey.exclusive("*");

  private static final String COLUMNS =
      """
      SELECT kind, name, token, holder, released, {left}, waiting, waiting_until > {now} AS waited, \
      {waited} FROM {lease} l WHERE\s""";

  private static final String IN_USE =
      """
      ((released = false AND expires_at > {now}) OR (waiting IS NOT NULL AND waiting_until > {now}) \
      OR EXISTS (SELECT 1 FROM {lease_entry} e WHERE e.shard = l.shard AND e.kind = l.kind \
      AND e.name = l.name AND e.expires_at > {now}))""";

  private static final String LIST =
      COLUMNS
          + IN_USE
          + " AND name LIKE ? ESCAPE '!' AND (kind > ? OR (kind = ? AND name > ?))"
          + " ORDER BY kind, name";

  private static final String FIND = COLUMNS + LeaseTables.KEY;

  private static final String ENTRIES =
      "SELECT held, holder, token, permits, {left} FROM {lease_entry} WHERE"
          + LeaseTables.KEY
          + "AND expires_at > {now} ORDER BY arrival, token";

  private static final String OWNER =
      "SELECT owner, token, released, {left} FROM {lease} WHERE" + LeaseTables.KEY;

  private static final String PRUNE_ENTRIES = "DELETE FROM {lease_entry} WHERE expires_at < {now+}";

  private static final String PRUNE =
      """
      DELETE FROM {lease} WHERE expires_at < {now+} \
      AND (waiting_until IS NULL OR waiting_until < {now}) \
      AND NOT EXISTS (SELECT 1 FROM {lease_entry} e WHERE e.shard = {lease}.shard \
      AND e.kind = {lease}.kind AND e.name = {lease}.name)""";

  private final LeaseTables tables;
  private final String find;
  private final String list;

  LeaseQueries(LeaseTables tables) {
    this.tables = tables;
    this.find = tables.text(FIND);
    this.list = tables.text(LIST);
  }

  Optional<LeaseRecord> find(LeaseKey key) {
    return tables.step(
        "reading",
        key,
        connection -> {
          List<Found> found = tables.query(connection, find, this::found, key);
          return found.isEmpty()
              ? Optional.empty()
              : Optional.of(completed(connection, found.get(0)));
        });
  }

  /**
   * The result of a release whose response was lost. The row has it until another owner acquires
   * the lease: only a release leaves its owner in a released row, and only a hand-over makes a
   * successor the owner.
   */
  Optional<ReleaseResult> previousResult(Ownership ownership, @Nullable Successor successor) {
    LeaseKey key = ownership.key();
    Optional<Optional<ReleaseResult>> result =
        tables.step(
            "reading",
            key,
            connection ->
                tables.first(
                    connection,
                    tables.text(OWNER),
                    row -> previousResult(row, ownership, successor),
                    key));
    return result.orElse(Optional.empty());
  }

  private Optional<ReleaseResult> previousResult(
      ResultSet row, Ownership ownership, @Nullable Successor successor) throws SQLException {
    UUID owner = tables.owner(row, 1);
    boolean released = row.getBoolean(3);
    if (released && ownership.ownerId().equals(owner)) {
      return Optional.of(new ReleaseResult.Released());
    }
    boolean handedOver =
        successor != null
            && successor.next().ownerId().equals(owner)
            && !released
            && row.getLong(4) > 0;
    return handedOver
        ? Optional.of(new ReleaseResult.HandedOver(row.getLong(2)))
        : Optional.empty();
  }

  List<LeaseRecord> list(String prefix, @Nullable LeaseKey after, int limit) {
    int kind = after == null ? -1 : LeaseTables.code(after.kind());
    String name = after == null ? "" : after.name();
    String pattern = prefix.replace("!", "!!").replace("%", "!%").replace("_", "!_").concat("%");
    return tables.step(
        "listing",
        ANY,
        /* timeout= */ null,
        connection -> {
          List<LeaseRecord> all = new ArrayList<>();
          for (Found found :
              tables.query(
                  connection,
                  list + tables.dialect().limit(limit),
                  this::found,
                  tables.name(pattern),
                  kind,
                  kind,
                  tables.name(name))) {
            all.add(completed(connection, found));
          }
          return all;
        });
  }

  /** A row without its entries. */
  private record Found(
      LeaseKey key,
      long token,
      @Nullable String holder,
      boolean held,
      long left,
      @Nullable String waiting,
      long waited) {}

  private Found found(ResultSet row) throws SQLException {
    LeaseKey key = new LeaseKey(LeaseTables.kind(row.getInt(1)), tables.name(row, 2));
    long left = row.getLong(6);
    return new Found(
        key,
        row.getLong(3),
        row.getString(4),
        key.kind() == LeaseKey.Kind.EXCLUSIVE && !row.getBoolean(5) && left > 0,
        left,
        row.getBoolean(8) ? row.getString(7) : null,
        row.getLong(9));
  }

  private LeaseRecord completed(Connection connection, Found row) throws SQLException {
    List<LeaseRecord.Holder> holders = new ArrayList<>();
    List<LeaseRecord.Waiter> waiters = new ArrayList<>();
    if (row.held) {
      holders.add(
          new LeaseRecord.Holder(
              String.valueOf(row.holder), row.token, 1, LeaseTables.time(row.left)));
    }
    tables.query(
        connection,
        tables.text(ENTRIES),
        entry -> {
          Duration left = LeaseTables.time(entry.getLong(5));
          return entry.getBoolean(1)
              ? holders.add(
                  new LeaseRecord.Holder(
                      entry.getString(2), entry.getLong(3), entry.getInt(4), left))
              : waiters.add(new LeaseRecord.Waiter(entry.getString(2), left));
        },
        row.key);
    if (row.waiting != null && waiters.isEmpty() && row.key.kind() == LeaseKey.Kind.EXCLUSIVE) {
      for (String instance :
          row.waiting.startsWith("*") ? List.of("*") : row.waiting.lines().toList()) {
        if (!instance.isEmpty()) {
          waiters.add(new LeaseRecord.Waiter(instance, LeaseTables.time(row.waited)));
        }
      }
    }
    return new LeaseRecord(row.key, row.token, holders, waiters);
  }

  int prune(Duration idleTime) {
    Duration ago = idleTime.negated();
    return tables.step(
        "pruning",
        ANY,
        LeaseTables.CLEANING,
        connection -> {
          tables.update(connection, tables.text(PRUNE_ENTRIES), ago);
          return tables.update(connection, tables.text(PRUNE), ago);
        });
  }
}
