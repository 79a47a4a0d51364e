package dev.holdfast.internal.lease.engine;

import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.Leases;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads behind the leases of one instance:
 *
 * <ul>
 *   <li>a timer that never waits for the store, so that a loss is noticed even if the store hangs;
 *   <li>threads for renewals, so that one renewal that hangs does not delay the others;
 *   <li>threads for renewals that follow a failed one: if a part of the store hangs, each of its
 *       leases delays the others at most once;
 *   <li>one background thread, so that no renewal waits for other tasks.
 * </ul>
 *
 * <p>All are daemons. They start when there is something to do, and end a moment after.
 * Thread-safe.
 */
final class LeaseExecutors {
  private static final Logger LOG = LoggerFactory.getLogger(Leases.class);
  private static final long IDLE_MILLIS = 500;

  /** Each of them may take a connection of the pool, for as long as a renewal takes. */
  private static final int RENEWAL_THREADS = 8;

  private static final int RETRY_THREADS = 4;

  private final ScheduledThreadPoolExecutor timer;
  private final ThreadPoolExecutor renewals;
  private final ThreadPoolExecutor retries;
  private final ThreadPoolExecutor background;

  LeaseExecutors() {
    timer = new ScheduledThreadPoolExecutor(1, task -> daemon(task, "holdfast-lease-timer"));
    timer.setRemoveOnCancelPolicy(true);
    timer.setKeepAliveTime(IDLE_MILLIS, TimeUnit.MILLISECONDS);
    timer.allowCoreThreadTimeOut(true);
    renewals = threads(RENEWAL_THREADS, "holdfast-lease-renewal");
    retries = threads(RETRY_THREADS, "holdfast-lease-renewal-retry");
    background = threads(1, "holdfast-lease-background");
  }

  private static ThreadPoolExecutor threads(int count, String name) {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            count,
            count,
            IDLE_MILLIS,
            TimeUnit.MILLISECONDS,
            new LinkedBlockingQueue<>(),
            task -> daemon(task, name));
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  /** A scheduled task that can be cancelled. */
  interface Alarm {
    void cancel();
  }

  /** Runs a short task at a moment of {@link System#nanoTime()}. */
  Alarm at(long moment, Runnable task) {
    ScheduledFuture<?> scheduled =
        timer.schedule(
            () -> guarded("timer", null, task),
            Math.max(0, moment - System.nanoTime()),
            TimeUnit.NANOSECONDS);
    return () -> scheduled.cancel(false);
  }

  /**
   * Runs a renewal on a renewal thread.
   *
   * @param retry whether the last renewal of the same lease has failed
   */
  void renew(LeaseKey key, Runnable task, boolean retry) {
    (retry ? retries : renewals).execute(() -> guarded("renewal", key, task));
  }

  /**
   * Runs a task that calls the store on the background thread.
   *
   * @param name of the task, for the log
   * @param key of its lease; null for all leases
   */
  void background(String name, @Nullable LeaseKey key, Runnable task) {
    background.execute(() -> guarded(name, key, task));
  }

  /** Runs the onLost action of a user on a thread of its own; it may take any time. */
  void runLostAction(LeaseKey key, Runnable action) {
    Runnable guarded =
        () -> {
          try {
            action.run();
          } catch (RuntimeException | Error e) {
            LOG.warn(
                "lease-action-failed: the onLost action of lease {} threw an exception; it is not"
                    + " repeated: {}",
                key,
                e.toString(),
                e);
          }
        };
    daemon(guarded, "holdfast-lease-lost").start();
  }

  private static void guarded(String name, @Nullable LeaseKey key, Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      LOG.warn(
          "lease-task-failed: background task '{}' of lease {} failed; it is not repeated: {}",
          name,
          key == null ? "(all)" : key,
          e.toString(),
          e);
    }
  }
}
