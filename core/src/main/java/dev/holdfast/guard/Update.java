package dev.holdfast.guard;

import dev.holdfast.internal.Require;
import dev.holdfast.internal.sql.SqlBuilder;
import dev.holdfast.transaction.GuardKind;
import dev.holdfast.transaction.Row;
import dev.holdfast.transaction.Transaction;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A versioned update: changes a row only if it is still as the caller has read it.
 *
 * <pre>{@code
 * Update.table("cart_items").set("quantity", 3).where("id", 7).version(5).apply(tx)
 * }</pre>
 *
 * <p>Guarantee: of all who change a row from the same version exactly one is {@code Applied};
 * nobody overwrites what they have not seen. Check and change are one statement; a second one reads
 * the row only after a conflict. Tables without a version can compare chosen columns instead, with
 * {@link #expect}. Not guaranteed: that {@code Conflict.current} is still current when it is looked
 * at.
 *
 * <p>Joins the given transaction. Immutable and thread-safe.
 */
public final class Update {
  private final RowReference target;
  private final ColumnValues changes;
  private final ColumnValues expected;
  private final @Nullable String versionColumn;
  private final long version;
  private final String name;

  private Update(
      RowReference target,
      ColumnValues changes,
      ColumnValues expected,
      @Nullable String versionColumn,
      long version,
      String name) {
    this.target = target;
    this.changes = changes;
    this.expected = expected;
    this.versionColumn = versionColumn;
    this.version = version;
    this.name = name;
  }

  public static Update table(String table) {
    return new Update(
        RowReference.table(table),
        ColumnValues.NONE,
        ColumnValues.NONE,
        null,
        0,
        "update " + table);
  }

  /** Which row: a column of its primary key or unique constraint. Repeat for further columns. */
  public Update where(String column, Object value) {
    return new Update(target.where(column, value), changes, expected, versionColumn, version, name);
  }

  /** What to change. */
  public Update set(String column, @Nullable Object value) {
    return new Update(target, changes.with(column, value), expected, versionColumn, version, name);
  }

  /** What to set to the time of the database. */
  public Update setNow(String column) {
    return set(column, ColumnValues.NOW);
  }

  /**
   * What to set to the time of the database and a duration, such as the end of a lease.
   *
   * @param time from -365 to 365,000 days, kept to the microsecond
   */
  public Update setNowPlus(String column, Duration time) {
    return set(column, new CurrentTimePlus(column, time));
  }

  /** The version that was read, in the column {@code version}; it grows by one. */
  public Update version(long version) {
    return version("version", version);
  }

  /** The version that was read, in a column of another name; it grows by one. */
  public Update version(String column, long version) {
    ColumnValues.requireName(column, "the name of the version column");
    Require.that(
        version >= 0 && version < Long.MAX_VALUE,
        () -> "version must be from 0 to " + (Long.MAX_VALUE - 1) + ", was " + version);
    return new Update(target, changes, expected, column, version, name);
  }

  /** A value that was read and must still stand, for tables without a version. May be null. */
  public Update expect(String column, @Nullable Object value) {
    return new Update(target, changes, expected.with(column, value), versionColumn, version, name);
  }

  /** Known by this name to the conflict rate; by default {@code update <table>}. */
  public Update named(String name) {
    return new Update(
        target,
        changes,
        expected,
        versionColumn,
        version,
        Require.notBlank(name, "the name of a guard"));
  }

  /** Changes the row if it is as expected. */
  public UpdateResult apply(Transaction tx) {
    check(tx);
    boolean applied = target.change(tx, statement(tx));
    tx.listener().attempted(GuardKind.OPTIMISTIC_UPDATE, name, !applied);
    if (applied) {
      return new UpdateResult.Applied(versionColumn == null ? 0 : version + 1);
    }
    Optional<Row> current = target.current(tx);
    if (current.isEmpty()) {
      return new UpdateResult.NotFound();
    }
    Row row = current.get();
    return new UpdateResult.Conflict(versionColumn == null ? 0 : version(row, versionColumn), row);
  }

  private static long version(Row row, String column) {
    String label = ColumnValues.label(column);
    return row.get(label) == null ? UpdateResult.Conflict.NO_VERSION : row.number(label);
  }

  /**
   * Changes the row and answers its new version.
   *
   * @throws OptimisticLockException where it is not as expected: the retry runner tries again on
   *     it; or where there is no such row: that it does not
   */
  public long applyOrThrow(Transaction tx) {
    UpdateResult result = apply(tx);
    if (result instanceof UpdateResult.Applied applied) {
      return applied.version();
    }
    if (result instanceof UpdateResult.Conflict conflict) {
      throw new OptimisticLockException(
          target,
          version,
          conflict.version() == UpdateResult.Conflict.NO_VERSION ? null : conflict.version(),
          conflict.version() != UpdateResult.Conflict.NO_VERSION,
          "the row " + target + " must be " + conflict(conflict));
    }
    throw new OptimisticLockException(
        target, version, null, false, "the row " + target + " must exist, there is none");
  }

  /**
   * Changes the row; on a conflict lets {@code merge} reconcile the wanted changes with the row as
   * it is now, and tries that, up to {@code attempts} times in all. Stays in the given transaction,
   * so use READ COMMITTED.
   *
   * @return the last conflict where {@code merge} gave up or no attempt was left
   */
  public UpdateResult applyMerging(Transaction tx, int attempts, Merge merge) {
    Require.between(attempts, 1, 1000, "attempts");
    Require.notNull(merge, "merge");
    Require.that(
        versionColumn != null && expected.isEmpty(),
        "merging needs version(…) and no expect(…), because the row is changed from its new version");
    Update update = this;
    UpdateResult result = update.apply(tx);
    for (int attempt = 2; attempt <= attempts; attempt++) {
      if (!(result instanceof UpdateResult.Conflict conflict)) {
        return result;
      }
      Optional<Map<String, @Nullable Object>> merged =
          merge.merge(changes.values(), conflict.current());
      if (merged.isEmpty()) {
        return result;
      }
      tx.listener().retrying(GuardKind.OPTIMISTIC_UPDATE, name);
      update = update.from(conflict.version(), ColumnValues.of(merged.get()));
      result = update.apply(tx);
    }
    return result;
  }

  /** Reconciles changes that met a conflict. */
  @FunctionalInterface
  public interface Merge {
    /**
     * What to change, now that the row is {@code current}; empty to give up.
     *
     * @param wanted the changes as they were first asked for
     */
    Optional<Map<String, @Nullable Object>> merge(
        Map<String, @Nullable Object> wanted, Row current);
  }

  private Update from(long newVersion, ColumnValues newChanges) {
    return new Update(target, newChanges, expected, versionColumn, newVersion, name);
  }

  private void check(Transaction tx) {
    Require.notNull(tx, "tx");
    target.requireKey();
    tx.requireWritable(() -> "an update of " + target);
    Require.that(!changes.isEmpty(), () -> "something must be set in " + target + ", was nothing");
    Require.that(
        versionColumn != null || !expected.isEmpty(),
        () -> "an update of " + target + " must say what it expects, with version(…) or expect(…)");
    Require.that(
        versionColumn == null || !changes.contains(versionColumn),
        () -> "the version of " + target + " must not be set: it grows by itself");
  }

  private SqlBuilder statement(Transaction tx) {
    SqlBuilder sql = target.update(tx);
    changes.writeAssignments(sql);
    if (versionColumn != null) {
      sql.add(", ").name(versionColumn).add(" = ").name(versionColumn).add(" + 1");
    }
    target.writeWhere(sql);
    if (versionColumn != null) {
      sql.add(" AND ").name(versionColumn).add(" = ").value(version);
    }
    expected.values().forEach((column, value) -> sql.add(" AND ").same(column, value));
    return sql;
  }

  private String conflict(UpdateResult.Conflict conflict) {
    if (versionColumn == null) {
      return "as " + expected + ", is " + conflict.current();
    }
    return "at version "
        + version
        + (conflict.version() == UpdateResult.Conflict.NO_VERSION
            ? ", but its '"
                + ColumnValues.label(versionColumn)
                + "' is null; make the column NOT NULL DEFAULT 0"
            : ", is at " + conflict.version());
  }
}
