package dev.holdfast.internal.workflow;

import dev.holdfast.idempotency.spi.IdempotencyStore;
import dev.holdfast.workflow.Workflows;
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
 * The threads that renew the leases of one store in this process: a timer that never calls the
 * store, so that a lost lease is reported even while the store hangs, and a few threads that renew.
 * They are daemons, start when needed, and end shortly after the last lease; their names end with
 * the number of the store. Thread-safe.
 */
final class RenewalThreads {
  private static final Logger LOG = LoggerFactory.getLogger(Workflows.class);
  private static final long IDLE_MILLIS = 500;
  private static final int RENEWAL_THREADS = 4;
  private static final Map<IdempotencyStore, RenewalThreads> BY_STORE = new WeakHashMap<>();

  private static final AtomicInteger NUMBERS = new AtomicInteger();

  private final ScheduledThreadPoolExecutor timer;
  private final ThreadPoolExecutor renewals;

  /** One for each store: a store that hangs does not delay the renewals of another one. */
  static RenewalThreads of(IdempotencyStore store) {
    synchronized (BY_STORE) {
      return BY_STORE.computeIfAbsent(store, key -> new RenewalThreads());
    }
  }

  private RenewalThreads() {
    int number = NUMBERS.incrementAndGet();
    timer =
        new ScheduledThreadPoolExecutor(
            1, task -> daemon(task, "holdfast-workflow-timer-" + number));
    timer.setRemoveOnCancelPolicy(true);
    timer.setKeepAliveTime(IDLE_MILLIS, TimeUnit.MILLISECONDS);
    timer.allowCoreThreadTimeOut(true);
    renewals =
        new ThreadPoolExecutor(
            RENEWAL_THREADS,
            RENEWAL_THREADS,
            IDLE_MILLIS,
            TimeUnit.MILLISECONDS,
            new LinkedBlockingQueue<>(),
            task -> daemon(task, "holdfast-workflow-renewal-" + number));
    renewals.allowCoreThreadTimeOut(true);
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  /** Runs a short task at a moment of {@link System#nanoTime()}. */
  Future<?> at(long moment, Runnable task) {
    return timer.schedule(
        () -> guarded(task), Math.max(0, moment - System.nanoTime()), TimeUnit.NANOSECONDS);
  }

  /** Runs a renewal as soon as a thread is free. */
  void renew(Runnable task) {
    renewals.execute(() -> guarded(task));
  }

  private static void guarded(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      LOG.warn("workflow-task-failed: a background task of the leases failed: {}", e.toString(), e);
    }
  }
}
