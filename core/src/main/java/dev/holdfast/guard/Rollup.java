package dev.holdfast.guard;

import dev.holdfast.HoldfastException;
import dev.holdfast.internal.Require;
import dev.holdfast.internal.sql.SqlBuilder;
import dev.holdfast.transaction.GuardKind;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.Row;
import dev.holdfast.transaction.Transaction;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A roll-up: numbers of a parent row, computed anew from its children.
 *
 * <pre>{@code
 * Rollup.parent("orders").children("order_lines", "order_id")
 *     .count("line_count").sum("total", "amount").countWhere("open_lines", "status", "OPEN")
 *     .apply(tx, orderId)
 * }</pre>
 *
 * <p>Guarantee: when every transaction that changes children of a parent applies the roll-up before
 * it commits, the numbers are right after every commit, however many do so at once. The parent is
 * locked before its children are counted, so whoever counts sees all that was committed before. All
 * numbers in one pass over the children; a sum over none is 0. Two statements on PostgreSQL and H2.
 *
 * <p>Not guaranteed: anything about children that were changed without a roll-up. On MariaDB and
 * MySQL a foreign key makes the insert of a child lock its parent in share mode, and under
 * REPEATABLE READ counting waits for children that others have changed, so two that insert and then
 * roll up deadlock: there, call {@link #lock} before changing children. On PostgreSQL and H2 it is
 * not needed.
 *
 * <p>Joins the given transaction. Parents are locked as by {@link RowLocks}, in the one order of
 * all its locks, or refused with a {@link LockOrderException}; so lock several with {@link
 * #lockAll}. Meant for READ COMMITTED, in stricter ones it may fail with an error that a retry
 * cures. Under REPEATABLE READ, MariaDB and MySQL need an index that begins with the column that
 * refers to the parent. Immutable and thread-safe.
 */
public final class Rollup {
  /** Tables of children that lock rows and roll back. */
  private static final SchemaFactCache<String, Boolean> TRANSACTIONAL = new SchemaFactCache<>();

  private final String parent;
  private final String key;
  private final @Nullable String children;
  private final @Nullable String reference;
  private final @Nullable String version;
  private final List<Aggregate> aggregates;

  private Rollup(
      String parent,
      String key,
      @Nullable String children,
      @Nullable String reference,
      @Nullable String version,
      List<Aggregate> aggregates) {
    this.parent = parent;
    this.key = key;
    this.children = children;
    this.reference = reference;
    this.version = version;
    this.aggregates = aggregates;
    ColumnValues once = ColumnValues.NONE.with(key, null);
    if (version != null) {
      once = once.with(version, null);
    }
    for (Aggregate aggregate : aggregates) {
      once = once.with(aggregate.column(), null);
    }
  }

  /** Rolls up into rows of this table, named by their column {@code id}. */
  public static Rollup parent(String table) {
    return parent(table, "id");
  }

  /** Rolls up into rows of this table, named by a column of another name. */
  public static Rollup parent(String table, String key) {
    Require.notBlank(table, "the name of a table");
    ColumnValues.requireName(key, "the name of the key column");
    return new Rollup(table, key, null, null, null, List.of());
  }

  /** From rows of this table that name their parent in {@code reference}. */
  public Rollup children(String table, String reference) {
    Require.notBlank(table, "the name of a table");
    ColumnValues.requireName(reference, "the name of the column that refers to the parent");
    return new Rollup(parent, key, table, reference, version, aggregates);
  }

  /** How many children there are, into this column of the parent. */
  public Rollup count(String column) {
    return with(new Aggregate(named(column), null, null, null));
  }

  /** How many children have this value, into this column of the parent. */
  public Rollup countWhere(String column, String childColumn, Object value) {
    Require.notNull(value, "the value of '" + childColumn + "'");
    return with(new Aggregate(named(column), null, named(childColumn), value));
  }

  /** The sum over a column of the children, into this column of the parent. */
  public Rollup sum(String column, String summed) {
    return with(new Aggregate(named(column), named(summed), null, null));
  }

  /** The sum over a column of those children that have a value in another one. */
  public Rollup sumWhere(String column, String summed, String childColumn, Object value) {
    Require.notNull(value, "the value of '" + childColumn + "'");
    return with(new Aggregate(named(column), named(summed), named(childColumn), value));
  }

  /** A version of the parent, which grows by one with every roll-up. */
  public Rollup version(String column) {
    return new Rollup(parent, key, children, reference, named(column), aggregates);
  }

  /**
   * Locks the parent until the transaction ends, and tells whether there is one. To be called
   * before children are changed on databases where the order matters; harmless elsewhere.
   */
  public boolean lock(Transaction tx, Object id) {
    check(tx, id);
    return Attempts.countingConflicts(tx, GuardKind.ROLLUP, guardName(), () -> isLocked(tx, id));
  }

  /** What the conflict rate knows this by. */
  private String guardName() {
    return "roll up " + parent;
  }

  private boolean isLocked(Transaction tx, Object id) {
    return RowLocks.lockOne(tx, parent, key, id);
  }

  /**
   * Locks several parents at once, such as the two between which a child moves. After that they can
   * be rolled up in any order.
   */
  public LockedRows lockAll(Transaction tx, Collection<?> ids) {
    return RowLocks.of(parent, key, ids).lock(tx);
  }

  /** Locks the parent, counts its children and writes the numbers. */
  public RollupResult apply(Transaction tx, Object id) {
    RowReference target = check(tx, id);
    return Attempts.counted(tx, GuardKind.ROLLUP, guardName(), () -> rollUp(tx, target, id));
  }

  private RollupResult rollUp(Transaction tx, RowReference target, Object id) {
    if (!isLocked(tx, id)) {
      return new RollupResult.NotFound();
    }
    requireTransactionalChildren(tx);
    SqlBuilder sql = target.update(tx);
    if (tx.dialect().assignsRow()) {
      sql.add("(").names(columns()).add(") = (");
      writeAggregates(tx, sql, id, false);
      sql.add(")");
    } else {
      // counted inside the UPDATE, children would be locked in share mode, and that deadlocks
      Row numbers = count(tx, id);
      for (int i = 0; i < aggregates.size(); i++) {
        sql.add(i == 0 ? "" : ", ").name(aggregates.get(i).column());
        sql.add(" = ").value(numbers.get("holdfast_" + i));
      }
    }
    if (version != null) {
      sql.add(", ").name(version).add(" = ").name(version).add(" + 1");
    }
    target.writeWhere(sql);
    return write(tx, target, sql);
  }

  /** Children that cannot be rolled back would stay when their numbers do not. */
  private void requireTransactionalChildren(Transaction tx) {
    String table = Require.notNull(children, "children");
    if (TRANSACTIONAL.get(tx, table).isEmpty()) {
      SqlBuilder.requireTransactional(tx, table);
      TRANSACTIONAL.put(tx, table, true);
    }
  }

  private RollupResult write(Transaction tx, RowReference target, SqlBuilder sql) {
    Supplier<String> doing = () -> "rolling up " + target;
    Optional<Row> written;
    if (tx.dialect().updateReturnsRow()) {
      written = sql.returning("*").row(tx, doing);
    } else {
      // with useAffectedRows a row that has its numbers already does not count; it is found then
      target.change(tx, sql);
      written = target.current(tx);
    }
    return new RollupResult.Applied(written.orElseThrow(() -> notWritten(tx, doing.get())));
  }

  /** The parent is there and locked, so that something in the database has refused the change. */
  private static HoldfastException notWritten(Transaction tx, String doing) {
    return SqlBuilder.failed(
        tx, doing, new SQLException("one row must be changed, was none although it is locked"));
  }

  private Row count(Transaction tx, Object id) {
    SqlBuilder sql = new SqlBuilder(tx.dialect());
    String current = tx.dialect().currentRead(tx.isolation());
    writeAggregates(tx, sql, id, !current.isEmpty());
    sql.add(current);
    return sql.rows(tx, () -> "counting '" + children + "'").get(0);
  }

  private List<String> columns() {
    return aggregates.stream().map(Aggregate::column).toList();
  }

  private void writeAggregates(Transaction tx, SqlBuilder sql, Object id, boolean locking) {
    sql.add("SELECT ");
    for (int i = 0; i < aggregates.size(); i++) {
      sql.add(i == 0 ? "" : ", ");
      aggregates.get(i).write(sql);
      sql.add(" AS holdfast_" + i);
    }
    String table = Require.notNull(children, "children");
    String column = Require.notNull(reference, "reference");
    sql.add(" FROM ").name(table).add(" holdfast_child");
    if (locking) {
      // a scan of the table would wait for children of other parents, and that deadlocks
      sql.searchedBy(tx, table, column);
    }
    sql.add(" WHERE holdfast_child.").name(column).add(" = ").value(id);
  }

  private RowReference check(Transaction tx, Object id) {
    Require.notNull(tx, "tx");
    RowReference target = RowReference.table(parent).where(key, id);
    tx.requireWritable(() -> "a roll-up of " + target);
    Require.that(
        tx.dialect().noticesStaleSnapshot() || !tx.isolation().keepsSnapshot(),
        () ->
            "a roll-up on "
                + tx.dialect()
                + " must be in READ COMMITTED, was in "
                + tx.isolation()
                + ", where children that others have committed are not seen");
    Require.that(
        !tx.dialect().readsUncommitted() || tx.isolation() != Isolation.READ_UNCOMMITTED,
        () ->
            "a roll-up on "
                + tx.dialect()
                + " must be in READ COMMITTED or stricter, was in READ UNCOMMITTED, where children"
                + " count that others may still roll back");
    Require.that(
        children != null, () -> "a roll-up of '" + parent + "' must name its children, was none");
    Require.that(
        !aggregates.isEmpty(),
        () -> "a roll-up of '" + parent + "' must count or sum, was neither");
    return target;
  }

  private Rollup with(Aggregate aggregate) {
    List<Aggregate> longer = new ArrayList<>(aggregates);
    longer.add(aggregate);
    return new Rollup(parent, key, children, reference, version, List.copyOf(longer));
  }

  private static String named(String column) {
    return ColumnValues.requireName(column, "the name of a column");
  }
}
