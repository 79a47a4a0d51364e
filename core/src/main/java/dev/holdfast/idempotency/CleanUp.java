package dev.holdfast.idempotency;

import dev.holdfast.idempotency.spi.IdempotencyStore;
import dev.holdfast.internal.Require;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes expired records in the background, in batches, until it is closed: {@link
 * Idempotency#cleanUpEvery}. Thread-safe.
 */
public final class CleanUp implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Idempotency.class);
  private static final int BATCH_SIZE = 500;

  private final IdempotencyStore store;
  private final Duration interval;
  private final Thread thread;
  private final CountDownLatch closed = new CountDownLatch(1);

  private CleanUp(IdempotencyStore store, Duration interval) {
    this.store = store;
    this.interval = interval;
    this.thread = new Thread(this::run, "holdfast-idempotency-cleaner");
    thread.setDaemon(true);
  }

  /** Starts to delete expired records of this store, at this interval. */
  public static CleanUp every(IdempotencyStore store, Duration interval) {
    Require.notNull(store, "store");
    Require.between(interval, Duration.ofMillis(1), Duration.ofDays(1), "the clean-up interval");
    CleanUp cleanUp = new CleanUp(store, interval);
    cleanUp.thread.start();
    return cleanUp;
  }

  /** Deletes all expired records of this store now, in batches, and returns how many there were. */
  public static int all(IdempotencyStore store) {
    int deleted = 0;
    for (; ; ) {
      int batch = store.deleteExpired(BATCH_SIZE);
      deleted += batch;
      if (batch < BATCH_SIZE) {
        return deleted;
      }
    }
  }

  private void run() {
    for (; ; ) {
      try {
        // random, so that instances that start together do not work at the same time
        long nanos = interval.toNanos();
        if (closed.await(
            ThreadLocalRandom.current().nextLong(nanos / 2, nanos + 1), TimeUnit.NANOSECONDS)) {
          return;
        }
        int deleted = 0;
        int batch;
        do {
          batch = store.deleteExpired(BATCH_SIZE);
          deleted += batch;
        } while (batch == BATCH_SIZE && closed.getCount() > 0);
        if (deleted > 0) {
          LOG.debug("idempotency-cleanup: deleted {} expired records", deleted);
        }
      } catch (InterruptedException e) {
        return;
      } catch (RuntimeException | Error e) {
        LOG.warn(
            "idempotency-cleanup-failed: could not delete expired records; retrying in {}: {}",
            interval,
            e.toString());
      }
    }
  }

  /** Stops after the current batch. */
  @Override
  public void close() {
    // an interrupt in the middle of a statement would break a database in files of this process
    closed.countDown();
  }
}
