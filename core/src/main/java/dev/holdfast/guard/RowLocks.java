package dev.holdfast.guard;

import dev.holdfast.internal.Require;
import dev.holdfast.internal.sql.LockWait;
import dev.holdfast.transaction.GuardKind;
import dev.holdfast.transaction.Transaction;
import java.lang.StackWalker.StackFrame;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Locks on a set of rows, of one table or several, always taken in one order.
 *
 * <pre>{@code
 * LockedRows accounts = RowLocks.lock(tx, "accounts", List.of(from, to));
 * }</pre>
 *
 * <p>Guarantee: two transactions that lock rows only through this never deadlock over them, in
 * whatever order they name them. The order is by the name of the table, then by the key as the
 * database orders it; there is one statement per table. What is read is current and stays so until
 * the transaction ends. A second call in the same {@link Transaction} that breaks the order is
 * refused with a {@link LockOrderException} that names both calls, before anything is locked; rows
 * that are already held may be asked for again, and with {@link #nowait()} and {@link
 * #skipLocked()} any order is safe and allowed.
 *
 * <p>Not guaranteed: anything against those who lock or change these rows by other means, by
 * another column, or under another name of the table (with and without its schema). Keys that do
 * not exist are not locked: others may insert them, except on MariaDB and MySQL under REPEATABLE
 * READ, where two who have asked for the same missing key and then insert it deadlock.
 *
 * <p>Nor does this hear of {@code ROLLBACK TO SAVEPOINT}, which frees rows that were locked since
 * the savepoint: they still count as held, so that locking them again is not checked for its order
 * and may deadlock. Lock before the savepoint what is needed after it.
 *
 * <p>Joins the given transaction. By default waits as long as the transaction may wait, and locks
 * against changes but, on PostgreSQL, not against new rows that refer to these; see {@link
 * #forDeletion()}. The key must be unique; on MariaDB and MySQL it must have an index. At most
 * 10,000 rows per table; no keys lock nothing. To the conflict rate, by the name {@code lock
 * <tables>}, a lock that is not got in time or ends in a deadlock is a conflict; one that is waited
 * for, or skipped, is none. Immutable and thread-safe.
 */
public final class RowLocks {
  private static final String DEFAULT_KEY = "id";

  private final List<TableLock> tables;
  private final LockMode mode;

  private RowLocks(List<TableLock> tables, LockMode mode) {
    this.tables = tables;
    this.mode = mode;
  }

  /** Locks rows by their {@code id}. */
  public static LockedRows lock(Transaction tx, String table, Collection<?> ids) {
    return of(table, ids).lock(tx);
  }

  /** Rows by their {@code id}. */
  public static RowLocks of(String table, Collection<?> ids) {
    return of(table, DEFAULT_KEY, ids);
  }

  /** Rows by a unique column: a primary key or one of a unique constraint. */
  public static RowLocks of(String table, String column, Collection<?> keys) {
    return new RowLocks(List.of(TableLock.of(table, column, keys)), LockMode.DEFAULT);
  }

  /** Locks one row without reading it, and tells whether it is there. */
  static boolean lockOne(Transaction tx, String table, String column, Object key) {
    TableLock one = TableLock.of(table, column, List.of(key));
    // not counted here: that is for the guard that needs the row
    return !new RowLocks(List.of(one), LockMode.KEYS_ONLY)
        .lock(tx, LockOrderTracker.call())
        .rows(table)
        .isEmpty();
  }

  /** And further rows, of this or another table, by their {@code id}. */
  public RowLocks and(String table, Collection<?> ids) {
    return and(table, DEFAULT_KEY, ids);
  }

  /** And further rows, of this or another table, by a unique column. */
  public RowLocks and(String table, String column, Collection<?> keys) {
    List<TableLock> longer = new ArrayList<>(tables);
    longer.add(TableLock.of(table, column, keys));
    return new RowLocks(List.copyOf(longer), mode);
  }

  /**
   * Failing at once where a row is locked by somebody else, with {@link
   * dev.holdfast.transaction.SqlError#LOCK_TIMEOUT}.
   */
  public RowLocks nowait() {
    return new RowLocks(tables, mode.ifLocked(LockWait.NOWAIT, null));
  }

  /** Leaving out the rows that are locked by somebody else; see {@link LockedRows#skipped()}. */
  public RowLocks skipLocked() {
    return new RowLocks(tables, mode.ifLocked(LockWait.SKIP_LOCKED, null));
  }

  /**
   * Waiting no longer than this for each row, then failing with {@link
   * dev.holdfast.transaction.SqlError#LOCK_TIMEOUT}. The time limit of the transaction is put back
   * after. MariaDB and MySQL count whole seconds, rounded up.
   */
  public RowLocks waitAtMost(Duration limit) {
    Require.between(limit, Duration.ofMillis(1), Duration.ofDays(1), "waitAtMost");
    return new RowLocks(tables, mode.ifLocked(LockWait.WAIT, limit));
  }

  /**
   * For rows that are going to be deleted or to get another key. On PostgreSQL this also locks out
   * new rows that refer to these, which otherwise would let the deletion wait, or deadlock.
   */
  public RowLocks forDeletion() {
    return new RowLocks(tables, mode.deletion());
  }

  /**
   * Locks the rows.
   *
   * @throws LockOrderException where this transaction holds rows that come after some of these
   * @throws GuardException where a key names several rows
   */
  public LockedRows lock(Transaction tx) {
    Require.notNull(tx, "tx");
    StackFrame call = LockOrderTracker.call();
    return Attempts.counted(tx, GuardKind.ROW_LOCKS, guardName(), () -> lock(tx, call));
  }

  /** What the conflict rate knows these locks by. */
  private String guardName() {
    return "lock "
        + tables.stream()
            .map(TableLock::table)
            .distinct()
            .sorted()
            .collect(Collectors.joining(", "));
  }

  private LockedRows lock(Transaction tx, StackFrame call) {
    Map<String, TableLock> inOrder = inOrder(tx);
    tx.requireWritable(() -> "a lock on rows of " + inOrder.keySet());
    Duration limit = mode.atMost();
    return limit == null
        ? lock(tx, inOrder, call)
        : tx.callWithLockTimeout(limit, limited -> lock(limited, inOrder, call));
  }

  /** The one order of tables. */
  private Map<String, TableLock> inOrder(Transaction tx) {
    Map<String, TableLock> inOrder = new TreeMap<>();
    for (TableLock table : tables) {
      tx.dialect().quote(table.column());
      inOrder.merge(tx.dialect().quote(table.table()), table, TableLock::and);
    }
    return inOrder;
  }

  private LockedRows lock(Transaction tx, Map<String, TableLock> inOrder, StackFrame call) {
    LockOrderTracker order = LockOrderTracker.of(tx);
    inOrder.forEach((name, table) -> order.check(tx, name, table, mode, call));
    if (inOrder.size() > 1) {
      inOrder.values().forEach(table -> table.requireIndex(tx));
    }
    Map<String, LockedTable> locked = new LinkedHashMap<>();
    inOrder.forEach(
        (name, table) -> {
          LockedTable rows = table.lock(tx, mode);
          order.locked(tx, name, rows, mode, call);
          locked.put(name, rows);
        });
    return new LockedRows(tx.dialect(), locked);
  }
}
