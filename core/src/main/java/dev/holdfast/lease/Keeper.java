package dev.holdfast.lease;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads behind the leases of one process: one that looks at the time and never waits for the
 * store, so that a loss is told even while the store hangs; some that renew leases, so that one
 * renewal that hangs does not hold up the others; and one for what can wait, so that no renewal
 * waits for it. Renewals that follow a failed one have threads apart: where a part of the store
 * hangs, each of its leases holds up the others once at most. They are daemons, begin when there is
 * something to do, and end a moment after there is nothing. Thread-safe.
 */
final class Keeper {
  private static final Logger LOG = LoggerFactory.getLogger(Leases.class);
  private static final long IDLE_MILLIS = 500;

  /** Each of them may need a connection of the pool, for as long as a renewal takes. */
  private static final int RENEWAL_THREADS = 8;

  private static final int RETRY_THREADS = 4;

  private final ScheduledThreadPoolExecutor timer;
  private final ThreadPoolExecutor renewals;
  private final ThreadPoolExecutor retries;
  private final ThreadPoolExecutor chores;

  Keeper() {
    timer = new ScheduledThreadPoolExecutor(1, task -> daemon(task, "holdfast-lease-timer"));
    timer.setRemoveOnCancelPolicy(true);
    timer.setKeepAliveTime(IDLE_MILLIS, TimeUnit.MILLISECONDS);
    timer.allowCoreThreadTimeOut(true);
    renewals = threads(RENEWAL_THREADS, "holdfast-lease-keeper");
    retries = threads(RETRY_THREADS, "holdfast-lease-keeper-retry");
    chores = threads(1, "holdfast-lease-chores");
  }

  private static ThreadPoolExecutor threads(int most, String name) {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            most,
            most,
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

  /** Something that is to happen, unless it is cancelled before. */
  interface Alarm {
    void cancel();
  }

  /** Runs something short at a moment of {@link System#nanoTime()}. */
  Alarm at(long moment, Runnable task) {
    ScheduledFuture<?> scheduled =
        timer.schedule(
            () -> guarded(task), Math.max(0, moment - System.nanoTime()), TimeUnit.NANOSECONDS);
    return () -> scheduled.cancel(false);
  }

  /**
   * Runs a renewal, when its turn comes.
   *
   * @param again whether the last one of the same lease has failed
   */
  void renew(Runnable task, boolean again) {
    (again ? retries : renewals).execute(() -> guarded(task));
  }

  /** Runs something else that speaks to the store, when its turn comes. */
  void soon(Runnable task) {
    chores.execute(() -> guarded(task));
  }

  /**
   * Runs what a user wants to happen, which may take as long as it likes.
   *
   * @param what completes the sentence "… threw"
   */
  void apart(Runnable task, String what) {
    Runnable told =
        () -> {
          try {
            task.run();
          } catch (RuntimeException | Error e) {
            LOG.warn("{} threw {}", what, e.toString(), e);
          }
        };
    daemon(told, "holdfast-lease-lost").start();
  }

  private static void guarded(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      LOG.warn("something about leases failed: {}", e.toString(), e);
    }
  }
}
