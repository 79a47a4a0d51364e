package dev.holdfast.guard;

import dev.holdfast.transaction.Transaction;
import java.lang.StackWalker.StackFrame;
import java.util.Iterator;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The one order of locks, watched over in one transaction: it never waits for a row that comes
 * before one it holds. For one thread.
 */
final class LockOrderTracker {
  /** The user's line is a few frames away. */
  private static final StackWalker STACK = StackWalker.getInstance(Set.of(), 6);

  private final NavigableMap<String, HeldRows> tables = new TreeMap<>();

  static LockOrderTracker of(Transaction tx) {
    return tx.state(LockOrderTracker.class, LockOrderTracker::new);
  }

  /** The line of the user's code that calls a guard. */
  static StackFrame call() {
    return STACK.walk(
        frames -> {
          Iterator<StackFrame> outwards = frames.iterator();
          StackFrame frame = outwards.next();
          while (frame.getClassName().startsWith("dev.holdfast.guard.")) {
            frame = outwards.next();
          }
          return frame;
        });
  }

  /**
   * Refuses rows that must not be locked any more.
   *
   * @param name of the table, quoted
   */
  void check(Transaction tx, String name, TableLock asked, LockMode mode, StackFrame call) {
    if (tables.isEmpty()) {
      return;
    }
    HeldRows held = tables.get(name);
    if (held != null && !held.table().isBySameColumn(asked) && !asked.keys().isEmpty()) {
      throw refused(tx, held, asked, asked.keys().first(), call);
    }
    boolean stronger = mode.isStronger(tx.dialect());
    RowKeys fresh =
        held == null
            ? asked.keys()
            : asked.keys().only((text, key) -> !held.covers(text, stronger));
    if (fresh.isEmpty() || !mode.waits()) {
      return;
    }
    Object early = early(tx, name, asked, fresh);
    boolean numbers = asked.keys().areNumbers() && held != null && held.last() instanceof Number;
    if (early != null && held != null && !numbers) {
      // the database may see a row that is held where Java sees another text
      RowKeys others = fresh.only((text, key) -> !held.covers(tx, key, stronger));
      early = others.isEmpty() ? null : early(tx, name, asked, others);
    }
    if (early != null) {
      throw refused(tx, tables.lastEntry().getValue(), asked, early, call);
    }
  }

  /** Remembers rows that are locked now. */
  void locked(Transaction tx, String name, LockedTable rows, LockMode mode, StackFrame call) {
    if (!rows.locked().isEmpty()) {
      tables
          .computeIfAbsent(name, ignored -> new HeldRows(rows.asked()))
          .add(tx, rows.locked(), mode, call);
    }
  }

  private @Nullable Object early(Transaction tx, String name, TableLock asked, RowKeys fresh) {
    if (tables.lastKey().compareTo(name) < 0) {
      return null;
    }
    HeldRows last = tables.lastEntry().getValue();
    return tables.lastKey().equals(name)
        ? KeyComparator.firstNotAfter(tx, asked, fresh, last.last())
        : fresh.first();
  }

  private static LockOrderException refused(
      Transaction tx, HeldRows held, TableLock asked, Object key, StackFrame call) {
    LockOrderException refused =
        new LockOrderException(
            held.table().rowName(held.last()), held.call(), asked.rowName(key), call);
    tx.setRollbackOnly(refused);
    return refused;
  }
}
