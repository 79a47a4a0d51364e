package dev.holdfast.guard;

import dev.holdfast.guard.RollupAggregate.Function;
import dev.holdfast.internal.Require;
import dev.holdfast.sql.Isolation;
import dev.holdfast.sql.Row;
import dev.holdfast.sql.Transaction;
import dev.holdfast.sql.internal.SqlText;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A roll-up: columns of a parent row, such as counters and totals, computed anew from its children.
 *
 * <pre>{@code
 * Rollup.parent("orders").children("order_lines", "order_id")
 *     .count("line_count").sum("total", "amount").countWhere("open_lines", "status", "OPEN")
 *     .apply(tx, orderId)
 * }</pre>
 *
 * <p>Guarantee: where every transaction that changes children ends with the roll-up of their
 * parents, the parents are right whenever all of them are committed. The parent is locked before
 * its children are read, so of two roll-ups of one parent the second sees what the first has
 * committed; all columns come from one pass over the latest children. Under an older snapshot
 * MariaDB and MySQL see the latest too, PostgreSQL fails with an error that a retry cures, and H2
 * is refused.
 *
 * <p>Not guaranteed: anything for children that are changed without a roll-up. On MariaDB and MySQL
 * two transactions that change children of one parent and only then lock it deadlock: the foreign
 * key locks the parent for both, and a roll-up waits for children that the other has changed. There
 * call {@link #lock} before changing children, and have an index that begins with the column of the
 * parent's key. On PostgreSQL and H2 it may be left out, unless the change depends on the parent.
 *
 * <p>Joins the given transaction. Parents are locked as by {@link RowLocks}, in the same order and
 * with the same {@link LockOrderException}. By default the key of the parent is {@code id}, and it
 * has no version. Immutable and thread-safe.
 */
public final class Rollup {
  private final String parent;
  private final String key;
  private final @Nullable String children;
  private final @Nullable String childColumn;
  private final List<RollupAggregate> aggregates;
  private final @Nullable String versionColumn;

  private Rollup(
      String parent,
      String key,
      @Nullable String children,
      @Nullable String childColumn,
      List<RollupAggregate> aggregates,
      @Nullable String versionColumn) {
    this.parent = parent;
    this.key = key;
    this.children = children;
    this.childColumn = childColumn;
    this.aggregates = aggregates;
    this.versionColumn = versionColumn;
  }

  /** The table of the parents, whose key is {@code id}. */
  public static Rollup parent(String table) {
    return parent(table, "id");
  }

  /** The table of the parents and its key. */
  public static Rollup parent(String table, String key) {
    return new Rollup(
        Require.notBlank(table, "the name of the table of the parents"),
        Require.notBlank(key, "the name of the key of '" + table + "'"),
        null,
        null,
        List.of(),
        null);
  }

  /** The table of the children, and its column that holds the key of their parent. */
  public Rollup children(String table, String column) {
    return new Rollup(
        parent,
        key,
        Require.notBlank(table, "the name of the table of the children"),
        Require.notBlank(column, "the column of '" + table + "' that holds the key of the parent"),
        aggregates,
        versionColumn);
  }

  /** How many children there are. */
  public Rollup count(String into) {
    return with(RollupAggregate.count(into));
  }

  /** How many children have this value; null is a value here. */
  public Rollup countWhere(String into, String column, @Nullable Object value) {
    return with(RollupAggregate.count(into).where(column, value));
  }

  /** The sum of a column of the children, 0 where there are none. */
  public Rollup sum(String into, String of) {
    return with(RollupAggregate.of(into, Function.SUM, of));
  }

  /** As {@link #sum}, of the children that have this value. */
  public Rollup sumWhere(String into, String of, String column, @Nullable Object value) {
    return with(RollupAggregate.of(into, Function.SUM, of).where(column, value));
  }

  /** The least value of a column of the children, null where there are none. */
  public Rollup min(String into, String of) {
    return with(RollupAggregate.of(into, Function.MIN, of));
  }

  /** The greatest value of a column of the children, null where there are none. */
  public Rollup max(String into, String of) {
    return with(RollupAggregate.of(into, Function.MAX, of));
  }

  /** A column of the parent that grows by one with each roll-up, as {@link Update} expects it. */
  public Rollup version(String column) {
    return new Rollup(
        parent,
        key,
        children,
        childColumn,
        aggregates,
        Require.notBlank(column, "the name of the version column"));
  }

  /** Locks a parent, to be called before its children are changed. */
  public LockedRows lock(Transaction tx, Object id) {
    return lockAll(tx, List.of(Require.notNull(id, "the key of a parent")));
  }

  /** Locks several parents at once, such as the two between which a child moves. */
  public LockedRows lockAll(Transaction tx, Collection<?> ids) {
    return RowLocks.of(parent, key, ids).lock(tx);
  }

  /** Locks a parent, if it is not yet, and computes its columns. */
  public RollupResult apply(Transaction tx, Object id) {
    Require.notNull(tx, "tx");
    Target target = Target.table(parent).where(key, id);
    tx.requireWritable("a roll-up of " + target);
    Require.that(
        !tx.dialect().snapshotHidesChanges() || tx.isolation() == Isolation.READ_COMMITTED,
        "a roll-up must be in a READ COMMITTED transaction on this database, was in "
            + tx.isolation());
    SqlText sql = statement(target, id).write(tx);
    if (!lock(tx, id).missing().isEmpty()) {
      return new RollupResult.Missing();
    }
    return change(tx, target, sql)
        .<RollupResult>map(RollupResult.RolledUp::new)
        .orElseGet(RollupResult.Missing::new);
  }

  private static Optional<Row> change(Transaction tx, Target target, SqlText sql) {
    if (tx.dialect().updateReturnsRow()) {
      return sql.returning("*").row(tx, "rolling up " + target);
    }
    // it is locked: where nothing was changed, that is because it was right before
    target.change(tx, sql);
    return target.current(tx);
  }

  private RollupStatement statement(Target target, Object id) {
    Require.that(
        children != null && childColumn != null,
        "a roll-up of '" + parent + "' must say which children, with children(…)");
    Require.that(
        !aggregates.isEmpty(), "a roll-up of '" + parent + "' must compute something, was nothing");
    Require.that(
        versionColumn == null
            || aggregates.stream().noneMatch(each -> each.into().equalsIgnoreCase(versionColumn)),
        "the version of '" + parent + "' must not be rolled up: it grows by itself");
    return new RollupStatement(
        target,
        Require.notNull(children, "children"),
        Require.notNull(childColumn, "childColumn"),
        id,
        aggregates,
        versionColumn);
  }

  private Rollup with(RollupAggregate further) {
    for (RollupAggregate known : aggregates) {
      Require.that(
          !known.into().equalsIgnoreCase(further.into()),
          "each column must be rolled up once, was twice: '" + further.into() + "'");
    }
    List<RollupAggregate> longer = new ArrayList<>(aggregates);
    longer.add(further);
    return new Rollup(parent, key, children, childColumn, List.copyOf(longer), versionColumn);
  }
}
