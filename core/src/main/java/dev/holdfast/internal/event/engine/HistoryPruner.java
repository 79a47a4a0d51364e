package dev.holdfast.internal.event.engine;

import dev.holdfast.event.Worker;
import dev.holdfast.internal.event.store.HistoryPartition;
import dev.holdfast.internal.event.store.HistoryPartitions;
import dev.holdfast.internal.event.store.PrunedKeys;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes what is older than its retention, on a thread of its own, every few minutes.
 *
 * <ol>
 *   <li>If the history is partitioned by days, creates partitions for the next days and drops the
 *       expired ones. If this instance may not, and no other one has for another whole day, it
 *       empties them instead.
 *   <li>Deletes other ended events, a thousand in a transaction.
 *   <li>Deletes keys whose event was deleted. Each round examines some of them and continues after
 *       the last one; if many are to be deleted, it examines more.
 *   <li>Deletes expired statistics; they are kept for a week at most.
 * </ol>
 *
 * <p>Every instance does all of it: what one has locked others skip, and what one has done is no
 * work for them. A step that fails is retried in the next round, and never harms the worker.
 */
final class HistoryPruner {
  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);
  private static final long ROUND_MILLIS = TimeUnit.MINUTES.toMillis(5);
  private static final int BATCH = 1000;

  /** Longer lists of keys MariaDB does not search by the primary key. */
  private static final int KEY_BATCH = 500;

  private static final long KEYS_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final int MAX_STARTS = 3;
  private static final Duration ANOTHER_DAY = Duration.ofDays(1);

  /** While it waits for a lock others wait behind it, so it gives up soon. */
  private static final Duration MAX_LOCK_WAIT = Duration.ofMillis(250);

  /**
   * While a partition is attached, all is read that ended without one, which is usually nothing,
   * and other sessions cannot access it.
   */
  private static final Duration MAX_STATEMENT = Duration.ofSeconds(2);

  /** What it deletes in one statement may take long, on a database that is busy. */
  private static final Duration NETWORK_TIMEOUT = Duration.ofMinutes(5);

  /**
   * Longer than {@link #MAX_STATEMENT}, and below five seconds: a worker that has just been started
   * claims nothing before its partitions exist, so silence must not hold it up for longer.
   */
  private static final Duration SHORT_NETWORK_TIMEOUT = Duration.ofSeconds(4);

  private final EventBackend home;
  private final EventBackend briefly;
  private final HistoryPartitions days;
  private final Duration retention;
  private final CountDownLatch stopping = new CountDownLatch(1);
  private final Map<Integer, String> lastKeys = new HashMap<>();
  private final Map<String, String> logged = new HashMap<>();
  private volatile @Nullable Thread thread;
  private boolean mayChangeTables = true;
  private int starts;

  HistoryPruner(EventBackend given, Duration retention) {
    EventBackend home = given.within(NETWORK_TIMEOUT);
    this.home = home;
    this.briefly =
        home.with(home.transactions().lockTimeout(MAX_LOCK_WAIT).statementTimeout(MAX_STATEMENT))
            .within(SHORT_NETWORK_TIMEOUT);
    this.days = home.store().historyDays();
    this.retention = retention;
  }

  /**
   * Creates the partitions for what will end, before anything does, and starts its rounds; does
   * nothing if it has started. Fails if the database does not respond, but only a few times: events
   * that end without their partition are kept, too.
   */
  void start() {
    if (thread == null && stopping.getCount() > 0) {
      if (starts++ < MAX_STARTS) {
        createPartitions();
      }
      Thread rounds = WorkerThreads.platform("holdfast-history").newThread(this::run);
      thread = rounds;
      rounds.start();
    }
  }

  /** Stops after the current step; returns the thread that ends then. */
  Optional<Thread> stop() {
    stopping.countDown();
    return Optional.ofNullable(thread);
  }

  private void run() {
    do {
      attempt("creating partitions of the history", this::createPartitions);
      attempt("dropping expired partitions of the history", this::dropPartitions);
      for (int shard = 0; shard < home.shards(); shard++) {
        int of = shard;
        attempt("deleting expired events", () -> deleteEnded(of));
        attempt("deleting expired event keys", () -> deleteKeys(of));
      }
      attempt("deleting expired statistics", this::deleteStats);
    } while (!stopsWithin(ThreadLocalRandom.current().nextLong(ROUND_MILLIS / 2, ROUND_MILLIS)));
  }

  private boolean stopsWithin(long millis) {
    try {
      return stopping.await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      return true;
    }
  }

  /** Logs the same failure only once. */
  private void attempt(String what, Runnable step) {
    if (stopping.getCount() == 0) {
      return;
    }
    try {
      step.run();
      logged.remove(what);
    } catch (RuntimeException | Error e) {
      if (!e.toString().equals(logged.put(what, e.toString()))) {
        LOG.info("history-task-failed: {} failed; retrying later: {}", what, e.toString());
      }
    }
  }

  private void createPartitions() {
    List<HistoryPartition> missing =
        briefly.call(() -> "looking for days of the history", days::missing);
    for (HistoryPartition day : missing) {
      change("creating " + day.table(), c -> days.make(c, day));
    }
  }

  private void dropPartitions() {
    for (HistoryPartition day : expired(retention)) {
      change("dropping " + day.table(), c -> days.drop(c, day));
    }
    for (HistoryPartition day :
        mayChangeTables ? List.<HistoryPartition>of() : expired(retention.plus(ANOTHER_DAY))) {
      for (int shard = 0; shard < home.shards(); shard++) {
        int of = shard;
        inBatches(c -> days.empty(c, of, day, BATCH));
      }
    }
  }

  private List<HistoryPartition> expired(Duration ago) {
    return home.call(() -> "looking for old days", c -> days.endedBefore(c, ago));
  }

  private void change(String what, EventBackend.Statements<Boolean> step) {
    if (mayChangeTables) {
      attempt(
          what,
          () -> {
            try {
              briefly.call(() -> what, step);
            } catch (RuntimeException e) {
              if (!isForbidden(e)) {
                throw e;
              }
              mayChangeTables = false;
              LOG.warn(
                  "history-no-partitions: database user may not create or drop partitions of the"
                      + " history; deleting history row by row: {}",
                  e.toString());
            }
          });
    }
  }

  /** Not the owner of the table; or, on Citus, not the node on which tables are changed. */
  private static boolean isForbidden(Throwable failure) {
    return failure.getCause() instanceof SQLException sql
        && ("42501".equals(sql.getSQLState())
            || String.valueOf(sql.getMessage()).contains("not allowed on this node"));
  }

  private void deleteEnded(int shard) {
    inBatches(c -> home.store().forgetEnded(c, shard, retention, BATCH));
  }

  private void deleteStats() {
    Duration longest =
        retention.compareTo(DefaultEventStats.MAX) < 0 ? retention : DefaultEventStats.MAX;
    home.call(() -> "deleting expired statistics", c -> home.stats().forget(c, longest));
  }

  /** Until a batch is not full, with a pause after each that is as long as the batch took. */
  private void inBatches(EventBackend.Statements<Integer> batch) {
    long began;
    do {
      began = System.nanoTime();
      if (home.call(() -> "deleting expired events", batch) < BATCH) {
        return;
      }
    } while (!stopsWithin(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began)));
  }

  private void deleteKeys(int shard) {
    long end = System.nanoTime() + KEYS_NANOS / home.shards();
    PrunedKeys pruned;
    do {
      String after = lastKeys.getOrDefault(shard, "");
      pruned =
          home.call(
              () -> "deleting expired event keys",
              c -> home.store().forgetKeys(c, shard, after, retention, KEY_BATCH));
      lastKeys.put(shard, pruned.last());
    } while (!pruned.last().isEmpty()
        && (System.nanoTime() - end < 0 || pruned.forgotten() * 10 >= pruned.seen())
        && stopping.getCount() > 0);
  }
}
