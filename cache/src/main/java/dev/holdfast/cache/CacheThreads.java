package dev.holdfast.cache;

import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The threads of all caches of this process, as many as there are loads; they end when there is
 * nothing to do. There is no limit, as a load that waits for another must not take its thread.
 */
final class CacheThreads {
  private static final AtomicLong COUNT = new AtomicLong();

  static final Executor POOL =
      new ThreadPoolExecutor(
          0,
          Integer.MAX_VALUE,
          10,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          task -> {
            Thread thread = new Thread(task, "holdfast-cache-" + COUNT.incrementAndGet());
            thread.setDaemon(true);
            return thread;
          });

  private CacheThreads() {}
}
