package dev.holdfast.transaction;

import java.sql.Connection;
import java.util.ArrayDeque;
import java.util.Deque;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The transactions whose work runs on a thread, the innermost first. */
final class OpenTransactions {
  private static final ThreadLocal<Deque<Entry>> OPEN = ThreadLocal.withInitial(ArrayDeque::new);

  private OpenTransactions() {}

  /**
   * A transaction whose work runs.
   *
   * @param dataSource what it is the current transaction of; null if that is not known
   * @param own whether Holdfast has opened it, so that no transaction of a framework is inside it
   * @param framework the physical connection of the framework's transaction that was current when
   *     it was joined; null if there was none
   */
  record Entry(
      @Nullable DataSource dataSource,
      Transaction tx,
      boolean own,
      @Nullable Connection framework) {}

  static void begin(Entry entry) {
    OPEN.get().push(entry);
  }

  static void end() {
    OPEN.get().pop();
  }

  static boolean any() {
    return !OPEN.get().isEmpty();
  }

  /** Whether Holdfast has opened one of them on this data source. */
  static boolean hasOwn(DataSource dataSource) {
    for (Entry entry : OPEN.get()) {
      if (entry.own && entry.dataSource == dataSource) {
        return true;
      }
    }
    return false;
  }

  /** The innermost one on this data source. */
  static @Nullable Entry innermost(DataSource dataSource) {
    for (Entry entry : OPEN.get()) {
      if (entry.dataSource == dataSource) {
        return entry;
      }
    }
    return null;
  }
}
