package dev.holdfast.race.internal.database;

import dev.holdfast.race.internal.database.InnoDbStatus.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The sessions that wait for a lock of InnoDB, and the sessions they wait for.
 *
 * <p>That a session waits is always known. MariaDB shows the blocker in a view that it refreshes
 * only if the view has not been read for 100 ms: a session that reads it more often never sees a
 * change. So it is read rarely, and only if more than one transaction could be the blocker.
 */
final class InnoDbWaits {
  private static final String MARIADB =
      """
      SELECT requesting_trx_id, blocking_trx_id FROM information_schema.INNODB_LOCK_WAITS
      """;

  /** By transactions: its threads are those that have written a lock down, not its owners. */
  private static final String MYSQL =
      """
      SELECT REQUESTING_ENGINE_TRANSACTION_ID, BLOCKING_ENGINE_TRANSACTION_ID
      FROM performance_schema.data_lock_waits
      """;

  private static final Duration STALE = Duration.ofMillis(120);

  private record Wait(String transaction, String awaited) {}

  private record Edge(String waiter, String blocker) {}

  private final Connection control;
  private final boolean cached;
  private final Map<Wait, Set<String>> known = new HashMap<>();
  private long lastRead = System.nanoTime() - STALE.toNanos();

  InnoDbWaits(Connection control, boolean mariaDb) {
    this.control = control;
    this.cached = mariaDb;
  }

  InnoDbStatus status() throws SQLException {
    List<String> text =
        Query.rows(control, "SHOW ENGINE INNODB STATUS", row -> row.getString("Status"));
    return InnoDbStatus.parse(text.get(0));
  }

  /** Those of these sessions that wait. */
  Map<Long, Set<Long>> waits(Set<Long> sessions) throws SQLException {
    InnoDbStatus status = status();
    Map<Long, Set<Long>> waits = new HashMap<>();
    for (Transaction transaction : status.transactions()) {
      if (transaction.waits() && sessions.contains(transaction.thread())) {
        waits.put(transaction.thread(), blockers(transaction, status));
      }
    }
    return waits;
  }

  private Set<Long> blockers(Transaction waiter, InnoDbStatus status) throws SQLException {
    Map<String, Long> holders = new HashMap<>();
    for (Transaction other : status.transactions()) {
      if (other.locks() > 0 && !other.id().equals(waiter.id())) {
        holders.put(other.id(), other.thread());
      }
    }
    if (holders.size() == 1) {
      return Set.copyOf(holders.values());
    }
    Wait wait = new Wait(waiter.id(), waiter.awaited());
    Set<Long> blockers = among(holders, known.get(wait));
    if (blockers.isEmpty() && mayRead()) {
      read(status);
      blockers = among(holders, known.get(wait));
    }
    return blockers;
  }

  private static Set<Long> among(Map<String, Long> holders, @Nullable Set<String> blockers) {
    Set<Long> threads = new TreeSet<>();
    if (blockers != null) {
      holders.forEach(
          (id, thread) -> {
            if (blockers.contains(id)) {
              threads.add(thread);
            }
          });
    }
    return threads;
  }

  private boolean mayRead() {
    return !cached || System.nanoTime() - lastRead >= STALE.toNanos();
  }

  private void read(InnoDbStatus status) throws SQLException {
    List<Edge> edges =
        Query.rows(
            control, cached ? MARIADB : MYSQL, row -> new Edge(row.getString(1), row.getString(2)));
    lastRead = System.nanoTime();
    known.clear();
    for (Transaction waiter : status.transactions()) {
      for (Edge edge : edges) {
        if (waiter.waits() && edge.waiter().equals(waiter.id())) {
          known
              .computeIfAbsent(new Wait(waiter.id(), waiter.awaited()), w -> new HashSet<>())
              .add(edge.blocker());
        }
      }
    }
  }
}
