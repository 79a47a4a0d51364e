package dev.holdfast.internal.idempotency.store;

import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyRecord;
import dev.holdfast.idempotency.IdempotencyRecord.Status;
import dev.holdfast.idempotency.IdempotencyRecord.StoredResult;
import dev.holdfast.idempotency.spi.IdempotencyStore.Interrupted;
import dev.holdfast.idempotency.spi.IdempotencyStore.Step;
import dev.holdfast.idempotency.spi.IdempotencyStore.WorkflowInput;
import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.internal.sql.TableStatements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Optional;

/** The statements on the table of idempotency records. */
final class RecordStatements {
  private static final String KEY = " WHERE shard = ? AND id = ?";

  /**
   * No attempt owns it: it was released or has expired, or a transaction left it without a result.
   */
  private static final String WITHOUT_OWNER =
      "(lease_until IS NULL OR released OR lease_until <= {now})";

  /** Its retention is over and no attempt owns it. Unfinished workflows never expire. */
  static final String EXPIRED =
      "expires_at <= {now} AND (completed OR (workflow IS NULL AND " + WITHOUT_OWNER + "))";

  /** This attempt still owns the lease. */
  private static final String HELD =
      KEY + " AND owner_id = ? AND NOT completed AND NOT released AND lease_until > {now}";

  private static final String INSERT =
      """
      INSERT INTO {idempotency} (shard, id, tenant, principal, operation, idempotency_key, fingerprint, \
      owner_id, attempts, completed, released, started_at, expires_at\
      """;

  private static final String INSERT_VALUES =
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1, false, false, {now}, {now+}";

  /** In place, so that no other attempt can insert a record in between. */
  private static final String REPLACE =
      """
      UPDATE {idempotency} SET fingerprint = ?, owner_id = ?, attempts = 1, completed = false, \
      released = false, started_at = {now}, expires_at = {now+}, steps = NULL, result_kind = NULL, \
      result = NULL, lease_until = LEASE\
      """
          + KEY
          + " AND "
          + EXPIRED;

  private static final String READ =
      """
      SELECT owner_id, completed, released, fingerprint, result_kind, result, STARTED, LEASED, {now_micros}, \
      attempts, steps, workflow, EXPIRED FROM {idempotency}\
      """
          + KEY;

  private static final String READ_COMPLETED =
      "SELECT owner_id, fingerprint, result_kind, result FROM {idempotency}"
          + KEY
          + " AND completed AND expires_at > {now}";

  private static final String TAKE_OVER =
      "UPDATE {idempotency} SET owner_id = ?, attempts = attempts + 1, released = false,"
          + " lease_until = LEASE, expires_at = GREATEST(expires_at, {now+})";

  /** Unchanged since it was read: a take-over in between changes {@code attempt}. */
  private static final String WITHOUT_OWNER_SINCE_READ =
      KEY + " AND owner_id = ? AND NOT completed AND lease_until IS NOT NULL AND " + WITHOUT_OWNER;

  private static final String LOCK = "SELECT completed FROM {idempotency}" + HELD + " FOR UPDATE";

  private static final String RENEW = "UPDATE {idempotency} SET lease_until = {now+}" + HELD;

  private static final String RECORD =
      "UPDATE {idempotency} SET steps = APPENDED, lease_until = {now+}" + HELD;

  private static final String RECORD_IN_TRANSACTION =
      "UPDATE {idempotency} SET steps = APPENDED" + HELD;

  private static final String COMPLETE =
      """
      UPDATE {idempotency} SET completed = true, result_kind = ?, result = ?, steps = NULL, input = NULL, \
      lease_until = NULL, expires_at = GREATEST(expires_at, {now+})\
      """
          + HELD;

  private static final String IS_COMPLETED =
      "SELECT completed FROM {idempotency}" + KEY + " AND owner_id = ? AND completed";

  private static final String RELEASE =
      "UPDATE {idempotency} SET released = true, lease_until = {now+}" + HELD;

  private static final String IS_RELEASED =
      "SELECT completed FROM {idempotency}"
          + KEY
          + " AND owner_id = ? AND released AND NOT completed";

  /**
   * Completes the record of the transaction that has inserted it or taken it over. The retention is
   * extended if the work took most of it; otherwise no indexed column changes.
   */
  private static final String COMPLETE_IN_TRANSACTION =
      "UPDATE {idempotency} SET completed = true, result_kind = ?, result = ?,"
          + " expires_at = GREATEST(expires_at, {now+})"
          + KEY
          + " AND owner_id = ? AND NOT completed AND lease_until IS NULL";

  private static final String FIND =
      """
      SELECT tenant, principal, operation, idempotency_key, fingerprint, attempts, STARTED, KEPT, completed, HELD, \
      workflow, steps, result_kind, result FROM {idempotency}\
      """
          + KEY
          + " AND NOT (EXPIRED)";

  private static final String INTERRUPTED =
      """
      SELECT tenant, principal, operation, idempotency_key, fingerprint, workflow, input, attempts \
      FROM {idempotency} WHERE workflow IN (FLOWS) AND NOT completed AND lease_until <= {now} \
      AND attempts >= ? AND attempts < ? ORDER BY lease_until\
      """;

  final TableStatements table;
  final String insertInTransaction;
  final String insertWithLease;
  final String replaceInTransaction;
  final String replaceWithLease;
  private final String isThere;
  final String read;
  final String takeOver;
  final String takeOverInTransaction;
  final String lock;
  final String renew;
  final String record;
  final String recordInTransaction;
  final String complete;
  final String isCompleted;
  final String release;
  final String isReleased;
  final String completeInTransaction;
  final String find;
  final String delete;

  /** Parameters: the shard, how many. */
  final String deleteExpired;

  /** Parameters: the shard, how many. */
  final String expired;

  private final String deleteExpiredOf;
  private final String interrupted;
  private final String completed;
  private final Dialect dialect;

  RecordStatements(Dialect dialect, String prefix) {
    this.dialect = dialect;
    this.table = TableStatements.of(dialect, prefix);
    this.insertInTransaction = text(INSERT + ") " + INSERT_VALUES + ")");
    this.insertWithLease =
        text(INSERT + ", lease_until, workflow, input) " + INSERT_VALUES + ", {now+}, ?, ?)");
    this.replaceInTransaction =
        text(REPLACE.replace("LEASE", "NULL, workflow = NULL, input = NULL"));
    this.replaceWithLease = text(REPLACE.replace("LEASE", "{now+}, workflow = ?, input = ?"));
    this.isThere = text("SELECT completed FROM {idempotency}" + KEY);
    this.read =
        text(
            READ.replace("STARTED", table.micros("started_at"))
                .replace("LEASED", table.micros("lease_until"))
                .replace("EXPIRED", EXPIRED));
    this.takeOver = text(TAKE_OVER.replace("LEASE", "{now+}") + WITHOUT_OWNER_SINCE_READ);
    this.takeOverInTransaction =
        text(
            TAKE_OVER.replace("LEASE", "NULL")
                + WITHOUT_OWNER_SINCE_READ
                + " AND workflow IS NULL AND steps IS NULL");
    this.lock = text(LOCK);
    this.renew = text(RENEW);
    this.record = text(RECORD.replace("APPENDED", appended()));
    this.recordInTransaction = text(RECORD_IN_TRANSACTION.replace("APPENDED", appended()));
    this.complete = text(COMPLETE);
    this.isCompleted = text(IS_COMPLETED);
    this.release = text(RELEASE);
    this.isReleased = text(IS_RELEASED);
    this.completeInTransaction = text(COMPLETE_IN_TRANSACTION);
    this.find =
        text(
            FIND.replace("STARTED", table.micros("started_at"))
                .replace("KEPT", table.micros("expires_at"))
                .replace("HELD", "NOT " + WITHOUT_OWNER)
                .replace("EXPIRED", EXPIRED));
    this.delete =
        text("DELETE FROM {idempotency}" + KEY + " AND (completed OR " + WITHOUT_OWNER + ")");
    String limit = dialect.family().equals("h2") ? " FETCH FIRST ? ROWS ONLY" : " LIMIT ?";
    this.expired =
        text("SELECT id FROM {idempotency} WHERE shard = ? AND " + EXPIRED + " ORDER BY expires_at")
            + limit;
    this.deleteExpired =
        text("DELETE FROM {idempotency} r USING (")
            + expired.replace("SELECT id", "SELECT shard, id")
            + " FOR UPDATE SKIP LOCKED) old WHERE r.shard = old.shard AND r.id = old.id";
    this.deleteExpiredOf =
        text("DELETE FROM {idempotency} WHERE shard = ? AND id IN (IDS) AND " + EXPIRED);
    this.interrupted = text(INTERRUPTED);
    this.completed = text(READ_COMPLETED);
  }

  private String text(String template) {
    return table.text(template.replace("{now_micros}", table.micros(table.now())));
  }

  private String appended() {
    return switch (dialect.family()) {
      case "mysql" -> "CONCAT(COALESCE(steps, ''), ?)";
      case "postgresql" -> "COALESCE(steps, ''::bytea) || ?";
      default -> "COALESCE(steps, X'') || CAST(? AS varbinary)";
    };
  }

  /** Whether a text may be a statement and the end of the transaction, in one round trip. */
  boolean rollsBackByText() {
    return dialect.family().equals("postgresql");
  }

  boolean deletesInOneStatement() {
    return dialect.family().equals("postgresql");
  }

  /** Deletes the expired ones of this many records. */
  String deleteExpired(int records) {
    return deleteExpiredOf.replace("IDS", "?" + ", ?".repeat(records - 1));
  }

  /** Replaces an expired record by a new one. */
  String replace(NewRecord record) {
    return record.hasLease() ? replaceWithLease : replaceInTransaction;
  }

  String insert(NewRecord record) {
    return record.hasLease() ? insertWithLease : insertInTransaction;
  }

  /** Parameters: the workflows, from and below how many attempts. */
  String interrupted(int workflows, int limit) {
    return interrupted.replace("FLOWS", "?" + ", ?".repeat(workflows - 1)) + dialect.limit(limit);
  }

  /** Whether there is a row of this key, expired or not. */
  boolean isThere(Connection connection, RecordId id) throws SQLException {
    return table.first(connection, isThere, row -> true, id.shard(), id.digest()).isPresent();
  }

  /**
   * Reads the record.
   *
   * @param ending how a read of this transaction ends
   */
  Optional<RecordSnapshot> read(Connection connection, RecordId id, String ending)
      throws SQLException {
    return table.first(connection, read + ending, this::snapshot, id.shard(), id.digest());
  }

  /**
   * Reads the record if it is completed.
   *
   * @param ending what is sent in the same round trip: nothing, or the end of the transaction
   */
  Optional<RecordSnapshot> completed(Connection connection, RecordId id, String ending)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(completed + ending)) {
      table.bind(statement, id.shard(), id.digest());
      statement.execute();
      try (ResultSet row = statement.getResultSet()) {
        return row.next()
            ? Optional.of(
                RecordSnapshot.completed(
                    Objects.requireNonNull(table.uuid(row, 1)),
                    Fingerprint.ofSha256(row.getBytes(2)),
                    new StoredResult(StoredResult.Kind.ofCode(row.getInt(3)), row.getBytes(4))))
            : Optional.empty();
      }
    }
  }

  RecordSnapshot snapshot(ResultSet row) throws SQLException {
    int kind = row.getInt(5);
    StoredResult result =
        row.wasNull() ? null : new StoredResult(StoredResult.Kind.ofCode(kind), row.getBytes(6));
    long leased = row.getLong(8);
    Long leasedUntil = row.wasNull() ? null : leased;
    return new RecordSnapshot(
        Objects.requireNonNull(table.uuid(row, 1)),
        row.getBoolean(2),
        row.getBoolean(3),
        Fingerprint.ofSha256(row.getBytes(4)),
        result,
        TableStatements.instant(row.getLong(7)),
        leasedUntil,
        row.getLong(9),
        row.getInt(10),
        Step.decode(row.getBytes(11)),
        row.getString(12) != null,
        row.getBoolean(13));
  }

  IdempotencyRecord found(ResultSet row) throws SQLException {
    boolean completed = row.getBoolean(9);
    Status status =
        completed ? Status.COMPLETED : row.getBoolean(10) ? Status.IN_PROGRESS : Status.INTERRUPTED;
    int kind = row.getInt(13);
    StoredResult result =
        row.wasNull() ? null : new StoredResult(StoredResult.Kind.ofCode(kind), row.getBytes(14));
    return new IdempotencyRecord(
        key(row),
        Fingerprint.ofSha256(row.getBytes(5)),
        status,
        row.getInt(6),
        TableStatements.instant(row.getLong(7)),
        TableStatements.instant(row.getLong(8)),
        Optional.ofNullable(row.getString(11)),
        Step.decode(row.getBytes(12)).stream().map(Step::name).toList(),
        Optional.ofNullable(result));
  }

  Interrupted interrupted(ResultSet row) throws SQLException {
    return new Interrupted(
        key(row),
        Fingerprint.ofSha256(row.getBytes(5)),
        new WorkflowInput(row.getString(6), row.getBytes(7)),
        row.getInt(8));
  }

  private static IdempotencyKey key(ResultSet row) throws SQLException {
    return new IdempotencyKey(
        row.getString(1), row.getString(2), row.getString(3), row.getString(4));
  }
}
