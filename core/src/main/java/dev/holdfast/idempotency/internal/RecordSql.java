package dev.holdfast.idempotency.internal;

import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyRecord;
import dev.holdfast.idempotency.IdempotencyRecord.Status;
import dev.holdfast.idempotency.IdempotencyStore.Abandoned;
import dev.holdfast.idempotency.IdempotencyStore.FlowInput;
import dev.holdfast.idempotency.IdempotencyStore.Step;
import dev.holdfast.idempotency.StoredReply;
import dev.holdfast.sql.Dialect;
import dev.holdfast.sql.internal.TableSql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Optional;

/** The statements about idempotency records that all databases share, with few words apart. */
final class RecordSql {
  private static final String KEY = " WHERE shard = ? AND id = ?";

  /** Nobody works on it: it was given back or has run out, or a transaction left it unanswered. */
  private static final String UNHELD =
      "(leased_until IS NULL OR released OR leased_until <= {now})";

  /** Its retention is over, and nobody needs it any more. Unfinished flows are always needed. */
  static final String EXPIRED =
      "kept_until <= {now} AND (done OR (flow IS NULL AND " + UNHELD + "))";

  /** Whoever says this attempt still has the claim. */
  private static final String HELD =
      KEY + " AND attempt = ? AND NOT done AND NOT released AND leased_until > {now}";

  private static final String INSERT =
      """
      INSERT INTO {idempotency} (shard, id, tenant, principal, operation, name, fingerprint, \
      attempt, attempts, done, released, started_at, kept_until\
      """;

  private static final String INSERT_VALUES =
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1, false, false, {now}, {now+}";

  /** In place: nobody else can come in between. */
  private static final String REPLACE =
      """
      UPDATE {idempotency} SET fingerprint = ?, attempt = ?, attempts = 1, done = false, \
      released = false, started_at = {now}, kept_until = {now+}, steps = NULL, reply_kind = NULL, \
      reply = NULL, leased_until = LEASE\
      """
          + KEY
          + " AND "
          + EXPIRED;

  private static final String LOOK =
      """
      SELECT attempt, done, released, fingerprint, reply_kind, reply, STARTED, LEASED, {now_micros}, \
      attempts, steps, flow, EXPIRED FROM {idempotency}\
      """
          + KEY;

  private static final String ANSWERED =
      "SELECT attempt, fingerprint, reply_kind, reply FROM {idempotency}"
          + KEY
          + " AND done AND kept_until > {now}";

  private static final String TAKE =
      "UPDATE {idempotency} SET attempt = ?, attempts = attempts + 1, released = false,"
          + " leased_until = LEASE, kept_until = GREATEST(kept_until, {now+})";

  /** What was seen is what is taken: an attempt that came in between changes {@code attempt}. */
  private static final String TAKEABLE =
      KEY + " AND attempt = ? AND NOT done AND leased_until IS NOT NULL AND " + UNHELD;

  private static final String LOCK = "SELECT done FROM {idempotency}" + HELD + " FOR UPDATE";

  private static final String RENEW = "UPDATE {idempotency} SET leased_until = {now+}" + HELD;

  private static final String RECORD =
      "UPDATE {idempotency} SET steps = APPENDED, leased_until = {now+}" + HELD;

  private static final String RECORD_IN_TRANSACTION =
      "UPDATE {idempotency} SET steps = APPENDED" + HELD;

  private static final String COMPLETE =
      """
      UPDATE {idempotency} SET done = true, reply_kind = ?, reply = ?, steps = NULL, input = NULL, \
      leased_until = NULL, kept_until = GREATEST(kept_until, {now+})\
      """
          + HELD;

  private static final String IS_COMPLETE =
      "SELECT done FROM {idempotency}" + KEY + " AND attempt = ? AND done";

  private static final String RELEASE =
      "UPDATE {idempotency} SET released = true, leased_until = {now+}" + HELD;

  private static final String IS_RELEASED =
      "SELECT done FROM {idempotency}" + KEY + " AND attempt = ? AND released AND NOT done";

  /**
   * Of the transaction that has inserted it, or taken it over from a claim. Where the work took
   * most of the retention, it is kept for longer; else nothing that is indexed changes.
   */
  private static final String ANSWER =
      "UPDATE {idempotency} SET done = true, reply_kind = ?, reply = ?,"
          + " kept_until = GREATEST(kept_until, {now+})"
          + KEY
          + " AND attempt = ? AND NOT done AND leased_until IS NULL";

  private static final String RECORD_COLUMNS =
      """
      SELECT tenant, principal, operation, name, fingerprint, attempts, STARTED, KEPT, done, HELD, \
      flow, steps, reply_kind, reply FROM {idempotency}\
      """
          + KEY
          + " AND NOT (EXPIRED)";

  private static final String ABANDONED =
      """
      SELECT tenant, principal, operation, name, fingerprint, flow, input, attempts \
      FROM {idempotency} WHERE flow IN (FLOWS) AND NOT done AND leased_until <= {now} \
      AND attempts >= ? AND attempts < ? ORDER BY leased_until\
      """;

  final TableSql table;
  final String insertUnanswered;
  final String insertClaimed;
  final String replaceUnanswered;
  final String replaceClaimed;
  final String isThere;
  final String look;
  final String take;
  final String takeIntoTransaction;
  final String lock;
  final String renew;
  final String record;
  final String recordInTransaction;
  final String complete;
  final String isComplete;
  final String release;
  final String isReleased;
  final String answer;
  final String find;
  final String forget;

  /** Parameters: the shard, how many. */
  final String cleanUp;

  /** Parameters: the shard, how many. */
  final String expired;

  private final String deleteExpiredOf;
  private final String abandoned;
  private final String answered;
  private final Dialect dialect;

  RecordSql(Dialect dialect, String prefix) {
    this.dialect = dialect;
    this.table = TableSql.of(dialect, prefix);
    this.insertUnanswered = text(INSERT + ") " + INSERT_VALUES + ")");
    this.insertClaimed =
        text(INSERT + ", leased_until, flow, input) " + INSERT_VALUES + ", {now+}, ?, ?)");
    this.replaceUnanswered = text(REPLACE.replace("LEASE", "NULL, flow = NULL, input = NULL"));
    this.replaceClaimed = text(REPLACE.replace("LEASE", "{now+}, flow = ?, input = ?"));
    this.isThere = text("SELECT done FROM {idempotency}" + KEY);
    this.look =
        text(
            LOOK.replace("STARTED", table.micros("started_at"))
                .replace("LEASED", table.micros("leased_until"))
                .replace("EXPIRED", EXPIRED));
    this.take = text(TAKE.replace("LEASE", "{now+}") + TAKEABLE);
    this.takeIntoTransaction =
        text(TAKE.replace("LEASE", "NULL") + TAKEABLE + " AND flow IS NULL AND steps IS NULL");
    this.lock = text(LOCK);
    this.renew = text(RENEW);
    this.record = text(RECORD.replace("APPENDED", appended()));
    this.recordInTransaction = text(RECORD_IN_TRANSACTION.replace("APPENDED", appended()));
    this.complete = text(COMPLETE);
    this.isComplete = text(IS_COMPLETE);
    this.release = text(RELEASE);
    this.isReleased = text(IS_RELEASED);
    this.answer = text(ANSWER);
    this.find =
        text(
            RECORD_COLUMNS
                .replace("STARTED", table.micros("started_at"))
                .replace("KEPT", table.micros("kept_until"))
                .replace("HELD", "NOT " + UNHELD)
                .replace("EXPIRED", EXPIRED));
    this.forget = text("DELETE FROM {idempotency}" + KEY + " AND (done OR " + UNHELD + ")");
    String limit = dialect.family().equals("h2") ? " FETCH FIRST ? ROWS ONLY" : " LIMIT ?";
    this.expired =
        text("SELECT id FROM {idempotency} WHERE shard = ? AND " + EXPIRED + " ORDER BY kept_until")
            + limit;
    this.cleanUp =
        text("DELETE FROM {idempotency} r USING (")
            + expired.replace("SELECT id", "SELECT shard, id")
            + " FOR UPDATE SKIP LOCKED) old WHERE r.shard = old.shard AND r.id = old.id";
    this.deleteExpiredOf =
        text("DELETE FROM {idempotency} WHERE shard = ? AND id IN (IDS) AND " + EXPIRED);
    this.abandoned = text(ABANDONED);
    this.answered = text(ANSWERED);
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

  boolean removesAtOnce() {
    return dialect.family().equals("postgresql");
  }

  /** Those among so many records whose retention is over. */
  String deleteExpired(int records) {
    return deleteExpiredOf.replace("IDS", "?" + ", ?".repeat(records - 1));
  }

  /** Makes a record whose retention is over a new one. */
  String replace(NewRecord record) {
    return record.isClaimed() ? replaceClaimed : replaceUnanswered;
  }

  String insert(NewRecord record) {
    return record.isClaimed() ? insertClaimed : insertUnanswered;
  }

  /** Parameters: the flows, from and below how many attempts. */
  String abandoned(int flows, int most) {
    return abandoned.replace("FLOWS", "?" + ", ?".repeat(flows - 1)) + dialect.limit(most);
  }

  /**
   * The record as it is.
   *
   * @param read what a look of this transaction ends with
   */
  Optional<Seen> look(Connection connection, RecordId id, String read) throws SQLException {
    return table.first(connection, look + read, this::seen, id.shard(), id.digest());
  }

  /**
   * The record, only where it is answered.
   *
   * @param ending what comes with it in one round trip: nothing, or the end of the transaction
   */
  Optional<Seen> answered(Connection connection, RecordId id, String ending) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(answered + ending)) {
      table.bind(statement, id.shard(), id.digest());
      statement.execute();
      try (ResultSet row = statement.getResultSet()) {
        return row.next()
            ? Optional.of(
                Seen.answered(
                    Objects.requireNonNull(table.uuid(row, 1)),
                    Fingerprint.ofSha256(row.getBytes(2)),
                    new StoredReply(ReplyCode.kind(row.getInt(3)), row.getBytes(4))))
            : Optional.empty();
      }
    }
  }

  Seen seen(ResultSet row) throws SQLException {
    int kind = row.getInt(5);
    StoredReply reply =
        row.wasNull() ? null : new StoredReply(ReplyCode.kind(kind), row.getBytes(6));
    long leased = row.getLong(8);
    Long leasedUntil = row.wasNull() ? null : leased;
    return new Seen(
        Objects.requireNonNull(table.uuid(row, 1)),
        row.getBoolean(2),
        row.getBoolean(3),
        Fingerprint.ofSha256(row.getBytes(4)),
        reply,
        TableSql.instant(row.getLong(7)),
        leasedUntil,
        row.getLong(9),
        row.getInt(10),
        Steps.read(row.getBytes(11)),
        row.getString(12) != null,
        row.getBoolean(13));
  }

  IdempotencyRecord found(ResultSet row) throws SQLException {
    boolean done = row.getBoolean(9);
    Status status = done ? Status.DONE : row.getBoolean(10) ? Status.IN_PROGRESS : Status.ABANDONED;
    int kind = row.getInt(13);
    StoredReply reply =
        row.wasNull() ? null : new StoredReply(ReplyCode.kind(kind), row.getBytes(14));
    return new IdempotencyRecord(
        key(row),
        Fingerprint.ofSha256(row.getBytes(5)),
        status,
        row.getInt(6),
        TableSql.instant(row.getLong(7)),
        TableSql.instant(row.getLong(8)),
        row.getString(11),
        Steps.read(row.getBytes(12)).stream().map(Step::name).toList(),
        reply);
  }

  Abandoned abandoned(ResultSet row) throws SQLException {
    return new Abandoned(
        key(row),
        Fingerprint.ofSha256(row.getBytes(5)),
        new FlowInput(row.getString(6), row.getBytes(7)),
        row.getInt(8));
  }

  private static IdempotencyKey key(ResultSet row) throws SQLException {
    return new IdempotencyKey(
        row.getString(1), row.getString(2), row.getString(3), row.getString(4));
  }
}
