package dev.holdfast.idempotency;

import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads behind the claims of a process in one store: one that looks at the time and never
 * waits for the store, so that a loss is told even while it hangs, and a few that renew. They are
 * daemons, begin when there is something to do, and end a moment after there is nothing; their
 * names end with the number of the store. Thread-safe.
 */
final class ClaimKeeper {
  private static final Logger LOG = LoggerFactory.getLogger(Claims.class);
  private static final long IDLE_MILLIS = 500;
  private static final int RENEWERS = 4;
  private static final Map<IdempotencyStore, ClaimKeeper> OF_STORES = new WeakHashMap<>();

  private static final AtomicInteger NUMBERS = new AtomicInteger();

  private final ScheduledThreadPoolExecutor timer;
  private final ThreadPoolExecutor renewals;

  /** Each store has its own: one that hangs holds up the claims in no other. */
  static ClaimKeeper of(IdempotencyStore store) {
    synchronized (OF_STORES) {
      return OF_STORES.computeIfAbsent(store, key -> new ClaimKeeper());
    }
  }

  private ClaimKeeper() {
    int number = NUMBERS.incrementAndGet();
    timer =
        new ScheduledThreadPoolExecutor(1, task -> daemon(task, "holdfast-claim-timer-" + number));
    timer.setRemoveOnCancelPolicy(true);
    timer.setKeepAliveTime(IDLE_MILLIS, TimeUnit.MILLISECONDS);
    timer.allowCoreThreadTimeOut(true);
    renewals =
        new ThreadPoolExecutor(
            RENEWERS,
            RENEWERS,
            IDLE_MILLIS,
            TimeUnit.MILLISECONDS,
            new LinkedBlockingQueue<>(),
            task -> daemon(task, "holdfast-claim-keeper-" + number));
    renewals.allowCoreThreadTimeOut(true);
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  /** Runs something short at a moment of {@link System#nanoTime()}. */
  Future<?> at(long moment, Runnable task) {
    return timer.schedule(
        () -> guarded(task), Math.max(0, moment - System.nanoTime()), TimeUnit.NANOSECONDS);
  }

  /** Runs a renewal, when its turn comes. */
  void renew(Runnable task) {
    renewals.execute(() -> guarded(task));
  }

  private static void guarded(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      LOG.warn("something about claims failed: {}", e.toString(), e);
    }
  }
}
