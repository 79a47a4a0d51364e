package dev.holdfast.guard;

import dev.holdfast.internal.Require;
import dev.holdfast.internal.sql.LockWait;
import dev.holdfast.internal.sql.SqlBuilder;
import dev.holdfast.transaction.Row;
import dev.holdfast.transaction.Transaction;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The statements of a sweep. Rows are met in the order of their time and key, each batch after the
 * last row of the one before: so a row that is refused, or gets stuck again, is met once, and an
 * index on status and time serves the condition and the order.
 */
final class SweepStatements {
  /** A whole batch, after the place of {@code after}, or one row by its key. */
  record Range(@Nullable StuckRow after, @Nullable Object key, int most) {}

  /**
   * Times come in the words of the database, which understands them again: drivers make another of
   * one that the zone of this process leaves out, and null of the zero date. All databases cast to
   * this type, some with spaces at the end.
   */
  private static final String AS_TEXT = " AS CHAR(64))";

  private final SweepPlan plan;
  private final String keyName;

  SweepStatements(SweepPlan plan) {
    this.plan = plan;
    this.keyName = "the key '" + plan.key() + "' of '" + plan.table() + "'";
  }

  /** How many rows nobody can judge, because their time is null. */
  int undated(Transaction tx) {
    SqlBuilder sql =
        new SqlBuilder(tx.dialect())
            .add("SELECT COUNT(*) AS holdfast_undated FROM ")
            .name(plan.table())
            .add(" WHERE ");
    writeStatus(sql);
    sql.add(" AND ").name(plan.since().column()).add(" IS NULL");
    List<Row> counted = sql.rows(tx, () -> "counting undated rows of '" + plan.table() + "'");
    return Math.toIntExact(counted.get(0).number("holdfast_undated"));
  }

  /**
   * Makes the change of a recovery, but of no row: it fails where that is not allowed, the table is
   * locked, or a value does not fit, and then it is not the fault of any row.
   */
  void changeNothing(Transaction tx) {
    SqlBuilder sql = new SqlBuilder(tx.dialect()).add("UPDATE ").name(plan.table()).add(" SET ");
    writeChanges(sql);
    sql.add(" WHERE 1 = 0").update(tx, () -> "changing rows of '" + plan.table() + "'");
  }

  /** The stuck rows of a range as they are now, not locked. */
  List<StuckRow> find(Transaction tx, Range range) {
    SqlBuilder sql = new SqlBuilder(tx.dialect());
    writeSelect(sql, range, true);
    return rows(sql.rows(tx, () -> "finding stuck rows of '" + plan.table() + "'"));
  }

  /** Recovers the stuck rows of a range that nobody else has locked. */
  List<StuckRow> recover(Transaction tx, Range range) {
    tx.requireWritable(() -> "a sweep of '" + plan.table() + "'");
    return tx.dialect().changesInsideQuery() ? recoverAtOnce(tx, range) : recoverLocked(tx, range);
  }

  /**
   * Locks and changes in one statement. It answers with every row that it locked, so that a row
   * which a trigger left unchanged is seen and not taken for the end.
   */
  private List<StuckRow> recoverAtOnce(Transaction tx, Range range) {
    SqlBuilder sql = new SqlBuilder(tx.dialect()).add("WITH holdfast_stuck AS MATERIALIZED (");
    writeSelect(sql, range, false);
    sql.add(tx.dialect().lockForUpdate(LockWait.SKIP_LOCKED));
    sql.add("), holdfast_changed AS (UPDATE ").name(plan.table()).add(" SET ");
    writeChanges(sql);
    // IS TRUE keeps the planner, where it has no statistics, from going through another index
    sql.add(" FROM holdfast_stuck WHERE ").name(plan.key()).add(" = holdfast_key AND (");
    writeStuck(sql);
    sql.add(") IS TRUE RETURNING ").name(plan.key()).add(" AS holdfast_changed_key)");
    sql.add(" SELECT holdfast_key, ").add(plan.cap() == null ? "" : "holdfast_attempts, ");
    // not a join, for which the planner compares each row with each where it expects few
    sql.add("holdfast_key IN (SELECT holdfast_changed_key FROM holdfast_changed)");
    // only the last time is the place to go on from, and to read times takes time
    sql.add(" AS holdfast_was_changed, CASE WHEN LEAD(1) OVER (ORDER BY holdfast_time,");
    sql.add(" holdfast_key) IS NULL THEN CAST(holdfast_time").add(AS_TEXT);
    sql.add(" END AS holdfast_time, (SELECT COUNT(*) FROM holdfast_changed) AS holdfast_changes");
    sql.add(" FROM holdfast_stuck");
    // qualified, because alone the name means what is answered
    sql.add(" ORDER BY holdfast_stuck.holdfast_time, holdfast_key");
    List<Row> answer = sql.rows(tx, () -> "recovering stuck rows of '" + plan.table() + "'");
    List<StuckRow> rows = new ArrayList<>();
    Set<Object> keys = new HashSet<>();
    long unexplained = answer.isEmpty() ? 0 : answer.get(0).number("holdfast_changes");
    for (Row found : answer) {
      StuckRow row = row(found, Boolean.TRUE.equals(found.get("holdfast_was_changed")));
      if (!keys.add(row.comparableKey())) {
        throw GuardException.ambiguousRow(plan.row(row.key()).toString(), 2);
      }
      unexplained -= row.changed() ? 1 : 0;
      rows.add(row);
    }
    if (unexplained > 0) {
      // rows that were not locked, but have the key of one that was
      throw GuardException.ambiguousRow(keyName, 2);
    }
    return rows;
  }

  private List<StuckRow> recoverLocked(Transaction tx, Range range) {
    SqlBuilder sql = new SqlBuilder(tx.dialect());
    writeSelect(sql, range, true);
    sql.add(tx.dialect().lockForUpdate(LockWait.SKIP_LOCKED));
    List<StuckRow> changed = new ArrayList<>();
    for (StuckRow row : rows(sql.rows(tx, () -> "locking stuck rows of '" + plan.table() + "'"))) {
      RowReference target = plan.row(row.key());
      // by its key: a change of many at once could go through another index, and wait for others
      SqlBuilder change = target.update(tx);
      writeChanges(change);
      target.writeWhere(change);
      change.add(" AND ");
      writeStuck(change);
      changed.add(new StuckRow(row.key(), row.time(), row.last(), target.change(tx, change)));
    }
    return changed;
  }

  /** {@code answered} tells that the rows come to us, not to the rest of the statement. */
  private void writeSelect(SqlBuilder sql, Range range, boolean answered) {
    sql.add("SELECT ").name(plan.key()).add(" AS holdfast_key, ").add(answered ? "CAST(" : "(");
    sql.name(plan.since().column()).add(answered ? AS_TEXT : ")").add(" AS holdfast_time");
    if (plan.cap() != null) {
      sql.add(", ").name(plan.cap().column()).add(" AS holdfast_attempts");
    }
    if (answered) {
      // so that a wrong name is refused by the first sweep, not by the first that finds a row
      sql.add(", ").name(plan.version());
      if (plan.note() != null) {
        sql.add(", ").name(plan.note().column());
      }
      plan.cleared().forEach(column -> sql.add(", ").name(column));
    }
    sql.add(" FROM ").name(plan.table()).add(" WHERE ");
    writeStuck(sql);
    writeRange(sql, range);
    sql.add(" ORDER BY ").name(plan.since().column()).add(", ").name(plan.key());
    sql.limit(range.most());
  }

  private void writeRange(SqlBuilder sql, Range range) {
    StuckRow after = range.after();
    if (after != null) {
      String time = plan.since().column();
      // MySQL does not use an index for (time, key) > (?, ?)
      sql.add(" AND ").name(time).add(" >= ").value(after.time());
      sql.add(" AND (").name(time).add(" > ").value(after.time());
      sql.add(" OR ").name(plan.key()).add(" > ").value(after.key()).add(")");
    }
    if (range.key() != null) {
      sql.add(" AND ").name(plan.key()).add(" = ").value(range.key());
    }
  }

  private void writeStuck(SqlBuilder sql) {
    writeStatus(sql);
    sql.add(" AND ").name(plan.since().column()).add(" < ");
    if (plan.since().age() == null) {
      sql.now();
    } else {
      sql.nowMinus(plan.since().age());
    }
  }

  private void writeStatus(SqlBuilder sql) {
    sql.name(plan.status()).add(" = ").value(plan.stuck());
    if (!plan.only().isEmpty()) {
      sql.add(" AND ");
      plan.only().writeConditions(sql);
    }
  }

  private void writeChanges(SqlBuilder sql) {
    SweepPlan.Cap cap = plan.cap();
    // the status first: MariaDB and MySQL would let it see the new number of attempts
    sql.name(plan.status()).add(" = ");
    if (cap == null) {
      sql.value(plan.recovered());
    } else {
      // a branch with the column gives the parameters its type, which may be an enum
      sql.add("CASE WHEN COALESCE(").name(cap.column()).add(", 0) + 1 >= ").value(cap.most());
      sql.add(" THEN ").value(cap.failed());
      sql.add(" WHEN COALESCE(").name(cap.column()).add(", 0) + 1 < ").value(cap.most());
      sql.add(" THEN ").value(plan.recovered());
      sql.add(" ELSE ").name(plan.status()).add(" END, ").name(cap.column());
      sql.add(" = COALESCE(").name(cap.column()).add(", 0) + 1");
    }
    sql.add(", ").name(plan.version()).add(" = COALESCE(").name(plan.version()).add(", 0) + 1");
    if (plan.note() != null) {
      sql.add(", ").name(plan.note().column()).add(" = ").value(plan.note().text());
    }
    plan.cleared().forEach(column -> sql.add(", ").name(column).add(" = NULL"));
  }

  private List<StuckRow> rows(List<Row> found) {
    return found.stream().map(row -> row(row, false)).toList();
  }

  private StuckRow row(Row found, boolean changed) {
    SweepPlan.Cap cap = plan.cap();
    boolean last = false;
    if (cap != null) {
      long before = found.get("holdfast_attempts") == null ? 0 : found.number("holdfast_attempts");
      last = before + 1 >= cap.most();
    }
    String time = found.text("holdfast_time");
    return new StuckRow(
        Require.notNull(found.get("holdfast_key"), keyName),
        time == null ? null : time.strip(),
        last,
        changed);
  }
}
