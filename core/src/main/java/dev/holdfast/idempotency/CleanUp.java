package dev.holdfast.idempotency;

import dev.holdfast.internal.Require;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes records whose time is over, in batches, every now and then, until it is closed: {@link
 * Idempotency#cleanUpEvery}. Thread-safe.
 */
public final class CleanUp implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Idempotency.class);
  private static final int BATCH = 500;

  private final IdempotencyStore store;
  private final Duration pause;
  private final Thread thread;
  private final CountDownLatch closed = new CountDownLatch(1);

  private CleanUp(IdempotencyStore store, Duration pause) {
    this.store = store;
    this.pause = pause;
    this.thread = new Thread(this::run, "holdfast-idempotency-clean-up");
    thread.setDaemon(true);
  }

  static CleanUp every(IdempotencyStore store, Duration pause) {
    Require.between(pause, Duration.ofMillis(1), Duration.ofDays(1), "the pause of a clean-up");
    CleanUp cleanUp = new CleanUp(store, pause);
    cleanUp.thread.start();
    return cleanUp;
  }

  static int all(IdempotencyStore store) {
    int removed = 0;
    for (; ; ) {
      int now = store.cleanUp(BATCH);
      removed += now;
      if (now < BATCH) {
        return removed;
      }
    }
  }

  private void run() {
    for (; ; ) {
      try {
        // instances that were started together do not come together
        long nanos = pause.toNanos();
        if (closed.await(
            ThreadLocalRandom.current().nextLong(nanos / 2, nanos + 1), TimeUnit.NANOSECONDS)) {
          return;
        }
        int removed = 0;
        int batch;
        do {
          batch = store.cleanUp(BATCH);
          removed += batch;
        } while (batch == BATCH && closed.getCount() > 0);
        if (removed > 0) {
          LOG.debug("removed {} idempotency records whose time was over", removed);
        }
      } catch (InterruptedException e) {
        return;
      } catch (RuntimeException | Error e) {
        LOG.warn("cleaning up idempotency records failed and is tried again: {}", e.toString());
      }
    }
  }

  /** Ends it, after the batch that it is at. */
  @Override
  public void close() {
    // an interrupt in the middle of a statement would break a database in files of this process
    closed.countDown();
  }
}
