package dev.holdfast.internal.schedule;

import dev.holdfast.ConflictException;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventTemplate;
import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.internal.sql.LockWait;
import dev.holdfast.internal.sql.SqlBuilder;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.SqlError;
import dev.holdfast.transaction.Transaction;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The table of schedules. Works in the caller's transaction; every change is conditional on the
 * version, and throws if another transaction has changed it. Thread-safe.
 */
final class ScheduleStore {
  /** The column exists so that the table can be distributed. */
  private static final int SHARD = 0;

  private static final String STATE =
      "version, paused, settled_at, next_fire_at, last_fire_at, last_event, superseded";

  private static final String DEFINITION =
      "recurrence, missed, tolerance_millis, overlap, jitter_millis, fingerprint, type, queue,"
          + " priority, tags, ordering_key, payload, payload_bytes";

  private final Dialect dialect;
  private final String selectOne;
  private final String selectLocked;
  private final String selectDue;
  private final String selectPage;
  private final String selectNext;
  private final String selectOverdue;
  private final String insert;
  private final String advance;
  private final String define;
  private final String delete;

  ScheduleStore(Dialect dialect, String prefix) {
    String table = prefix + "holdfast_schedule";
    String select = "SELECT name, " + STATE + ", " + DEFINITION + " FROM " + table;
    String one = " WHERE shard = ? AND name = ?";
    String state = STATE.replace(", ", " = ?, ") + " = ?";
    this.dialect = dialect;
    this.selectOne = select + one;
    this.selectLocked = selectOne + dialect.lockForUpdate(LockWait.WAIT);
    this.selectDue =
        select
            + " WHERE shard = ? AND next_fire_at <= ? AND (next_fire_at > ? OR (next_fire_at = ?"
            + " AND name > ?)) ORDER BY next_fire_at, name"
            + dialect.limit(ScheduleFirer.BATCH)
            + dialect.lockForUpdate(LockWait.SKIP_LOCKED);
    this.selectPage = select + " WHERE shard = ? AND name > ? ORDER BY name";
    this.selectNext =
        "SELECT next_fire_at FROM "
            + table
            + " WHERE shard = ? AND next_fire_at > ? ORDER BY next_fire_at"
            + dialect.limit(1);
    this.selectOverdue =
        "SELECT name, next_fire_at FROM "
            + table
            + " WHERE shard = ? AND next_fire_at <= ? ORDER BY next_fire_at, name"
            + dialect.limit(ScheduleFirer.BATCH);
    this.insert =
        "INSERT INTO "
            + table
            + " (shard, name, "
            + STATE
            + ", "
            + DEFINITION
            + ") VALUES (?"
            + ", ?".repeat(21)
            + ")"
            + (dialect.failureAbortsTransaction() ? " ON CONFLICT DO NOTHING" : "");
    this.advance = "UPDATE " + table + " SET " + state + one + " AND version = ?";
    this.define =
        "UPDATE "
            + table
            + " SET "
            + state
            + ", "
            + DEFINITION.replace(", ", " = ?, ")
            + " = ?"
            + one
            + " AND version = ?";
    this.delete = "DELETE FROM " + table + one;
  }

  /** The clock of the database. */
  Instant now(Transaction tx) {
    return query(
            tx, () -> "reading the clock", "SELECT " + dialect.storedNow(), row -> time(row, 1))
        .get(0);
  }

  Optional<ScheduleRow> find(Transaction tx, String name) {
    return one(tx, name, selectOne);
  }

  /** No other transaction changes the row until this one ends. */
  Optional<ScheduleRow> lock(Transaction tx, String name) {
    return one(tx, name, selectLocked);
  }

  private Optional<ScheduleRow> one(Transaction tx, String name, String sql) {
    List<ScheduleRow> found =
        query(tx, () -> "reading the schedule '" + name + "'", sql, this::read, SHARD, name);
    return found.isEmpty() ? Optional.empty() : Optional.of(found.get(0));
  }

  /** Locks due schedules that no other session has locked, after this position in due order. */
  List<ScheduleRow> lockDue(Transaction tx, Instant now, Instant afterFire, String afterName) {
    return query(
        tx,
        () -> "looking for due schedules",
        selectDue,
        this::read,
        SHARD,
        now,
        afterFire,
        afterFire,
        afterName);
  }

  List<ScheduleRow> page(Transaction tx, String afterName, int limit) {
    return query(
        tx,
        () -> "listing the schedules",
        selectPage + dialect.limit(limit),
        this::read,
        SHARD,
        afterName);
  }

  /** The first fire after this time. */
  Optional<Instant> nextFire(Transaction tx, Instant now) {
    List<Instant> next =
        query(tx, () -> "looking for the next fire", selectNext, row -> time(row, 1), SHARD, now);
    return next.isEmpty() ? Optional.empty() : Optional.of(next.get(0));
  }

  /** The schedules that are due at this time, also those that other sessions have locked. */
  List<OverdueWatch.Overdue> overdue(Transaction tx, Instant now) {
    return query(
        tx,
        () -> "looking for overdue schedules",
        selectOverdue,
        row -> new OverdueWatch.Overdue(row.getString(1), time(row, 2)),
        SHARD,
        now);
  }

  /** Empty if another transaction has created it, whether or not this one can see it. */
  Optional<ScheduleRow> insertIfAbsent(Transaction tx, ScheduleRow created) {
    List<@Nullable Object> values = new ArrayList<>(List.of(SHARD, created.name()));
    addState(values, created);
    addDefinition(values, created.definition());
    try (PreparedStatement statement = tx.connection().prepareStatement(insert)) {
      bind(statement, values);
      return statement.executeUpdate() == 1 ? Optional.of(created) : Optional.empty();
    } catch (SQLException e) {
      if (SqlError.of(e) == SqlError.UNIQUE_VIOLATION) {
        return Optional.empty();
      }
      throw SqlBuilder.failed(tx, "storing the schedule '" + created.name() + "'", e);
    }
  }

  /** For a transaction that neither sees the schedule nor can insert it. */
  DatabaseException notVisible(Transaction tx, String name) {
    return SqlBuilder.failed(
        tx,
        "storing the schedule '" + name + "'",
        new SQLException(
            "it was created after the snapshot of this transaction; roll back and try again",
            "40001"));
  }

  /** Stores the state of a schedule. */
  ScheduleRow advance(Transaction tx, ScheduleRow changed) {
    return change(tx, changed, advance, false);
  }

  /** Stores a schedule with its definition. */
  ScheduleRow define(Transaction tx, ScheduleRow changed) {
    return change(tx, changed, define, true);
  }

  private ScheduleRow change(
      Transaction tx, ScheduleRow changed, String sql, boolean withDefinition) {
    ScheduleRow grown = changed.version(changed.version() + 1);
    List<@Nullable Object> values = new ArrayList<>();
    addState(values, grown);
    if (withDefinition) {
      addDefinition(values, grown.definition());
    }
    values.addAll(List.of(SHARD, grown.name(), changed.version()));
    if (update(tx, grown.name(), sql, values) != 1) {
      ConflictException conflict =
          new ConflictException(
              "schedule-conflict",
              "schedule '" + grown.name() + "'",
              "Cannot change the schedule '"
                  + grown.name()
                  + "': version "
                  + changed.version()
                  + " expected, but another transaction has changed it. Retry in a new"
                  + " transaction.",
              null);
      tx.setRollbackOnly(conflict);
      throw conflict;
    }
    return grown;
  }

  boolean delete(Transaction tx, String name) {
    return update(tx, name, delete, List.of(SHARD, name)) == 1;
  }

  private static void addState(List<@Nullable Object> values, ScheduleRow schedule) {
    EventId last = schedule.lastEvent();
    values.add(schedule.version());
    values.add(schedule.paused());
    values.add(schedule.evaluatedUntil());
    values.add(schedule.nextFireAt());
    values.add(schedule.lastFireAt());
    values.add(last == null ? null : last.toString());
    values.add(String.join(" ", schedule.superseded()));
  }

  private static void addDefinition(List<@Nullable Object> values, ScheduleDefinition definition) {
    EventTemplate event = definition.event();
    values.add(definition.recurrence());
    values.add(definition.misfirePolicy());
    values.add((int) definition.misfireThreshold().toMillis());
    values.add(definition.overlap());
    values.add((int) definition.jitter().toMillis());
    values.add(definition.fingerprint());
    values.add(event.type());
    values.add(event.queue());
    values.add(event.priority());
    values.add(event.tags().isEmpty() ? null : String.join(" ", event.tags()));
    values.add(event.orderingKey());
    values.add(event.payload());
    values.add(event.payloadBytes());
  }

  private ScheduleRow read(ResultSet row) throws SQLException {
    String lastEvent = row.getString(7);
    return new ScheduleRow(
        new ScheduleDefinition(
            row.getString(1),
            row.getString(9),
            row.getString(10),
            Duration.ofMillis(row.getInt(11)),
            row.getString(12),
            Duration.ofMillis(row.getInt(13)),
            new EventTemplate(
                row.getString(15),
                row.getString(16),
                row.getInt(17),
                words(row.getString(18)),
                row.getString(19),
                row.getString(20),
                row.getBytes(21)),
            row.getString(14)),
        row.getInt(2),
        row.getBoolean(3),
        time(row, 4),
        dialect.storedTime(row, 5),
        dialect.storedTime(row, 6),
        lastEvent == null ? null : EventId.parse(lastEvent),
        words(row.getString(8)));
  }

  private Instant time(ResultSet row, int index) throws SQLException {
    Instant time = dialect.storedTime(row, index);
    if (time == null) {
      throw new SQLException("a time that must be there is null, in column " + index);
    }
    return time;
  }

  private static List<String> words(@Nullable String stored) {
    return stored == null || stored.isEmpty() ? List.of() : List.of(stored.split(" "));
  }

  private interface Reader<T> {
    T read(ResultSet row) throws SQLException;
  }

  private <T> List<T> query(
      Transaction tx, Supplier<String> doing, String sql, Reader<T> reader, Object... values) {
    try (PreparedStatement statement = tx.connection().prepareStatement(sql)) {
      bind(statement, List.of(values));
      try (ResultSet row = statement.executeQuery()) {
        List<T> all = new ArrayList<>();
        while (row.next()) {
          all.add(reader.read(row));
        }
        return all;
      }
    } catch (SQLException e) {
      throw SqlBuilder.failed(tx, doing.get(), e);
    }
  }

  private int update(
      Transaction tx, String name, String sql, List<? extends @Nullable Object> values) {
    try (PreparedStatement statement = tx.connection().prepareStatement(sql)) {
      bind(statement, values);
      return statement.executeUpdate();
    } catch (SQLException e) {
      throw SqlBuilder.failed(tx, "storing the schedule '" + name + "'", e);
    }
  }

  private void bind(PreparedStatement statement, List<? extends @Nullable Object> values)
      throws SQLException {
    for (int i = 0; i < values.size(); i++) {
      Object value = values.get(i);
      if (value instanceof Instant time) {
        statement.setObject(i + 1, dialect.storedTime(time));
      } else if (value == null) {
        statement.setNull(i + 1, Types.NULL);
      } else {
        statement.setObject(i + 1, value);
      }
    }
  }
}
