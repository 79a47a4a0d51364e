package dev.holdfast.internal.lease.store;

import dev.holdfast.lease.LeaseKey;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Deletes the tokens of resources whose fence was not passed for 30 days. Thread-safe.
 *
 * <p>After that any token passes, also an older one. A token is older only if its lease had ended
 * before the newest one was granted, and that was before the fence was last passed: so an older
 * token belongs to a holder that has lost its lease for more than 30 days, which is more than four
 * times the longest duration of a lease. Only a process that was suspended for all of that time
 * would still write with it.
 *
 * <p>Keys are read without locks and deleted one by one, so that no transaction that passes a fence
 * waits for this or has a deadlock with it.
 */
final class FenceRetention {
  static final Duration RETENTION = Duration.ofDays(30);

  private static final int BATCH = 1000;
  private static final int MAX_BATCHES = 100;
  private static final LeaseKey ANY = LeaseKey.exclusive("*");

  /** There is no index by time: once a day is enough. */
  private static final long EVERY_NANOS = TimeUnit.DAYS.toNanos(1);

  private final LeaseTables tables;
  private final String find;
  private final String delete;
  private final AtomicLong next = new AtomicLong(System.nanoTime());

  FenceRetention(LeaseTables tables) {
    this.tables = tables;
    this.find =
        tables.text("SELECT resource FROM {fence} WHERE shard = 0 AND seen_at < {now+}")
            + tables.dialect().limit(BATCH);
    this.delete =
        tables.text("DELETE FROM {fence} WHERE shard = 0 AND resource = ? AND seen_at < {now+}");
  }

  /** Deletes old tokens once a day. */
  void pruneDaily() {
    long due = next.get();
    if (due - System.nanoTime() <= 0 && next.compareAndSet(due, System.nanoTime() + EVERY_NANOS)) {
      prune();
    }
  }

  private void prune() {
    for (int batch = 0; batch < MAX_BATCHES; batch++) {
      int found =
          tables.step("pruning the fence beside", ANY, LeaseTables.CLEANING, this::pruneBatch);
      if (found < BATCH) {
        return;
      }
    }
  }

  private int pruneBatch(Connection connection) throws SQLException {
    Duration ago = RETENTION.negated();
    List<Object> old = tables.query(connection, find, row -> tables.name(tables.name(row, 1)), ago);
    for (Object resource : old) {
      tables.update(connection, delete, resource, ago);
    }
    return old.size();
  }
}
