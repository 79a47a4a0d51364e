package dev.holdfast.idempotency;

import dev.holdfast.internal.RepeatingService;
import dev.holdfast.internal.Require;
import dev.holdfast.sql.SqlError;
import dev.holdfast.sql.SqlFailedException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Deletes expired records, in batches, again and again. Thread-safe. */
final class CleanUp extends RepeatingService {
  static final Duration DEFAULT_INTERVAL = Duration.ofMinutes(10);

  private static final Logger LOG = LoggerFactory.getLogger(Idempotency.class);
  private static final Duration SHUTDOWN_TIMEOUT = Duration.ofSeconds(10);
  private static final int BATCH = 500;

  private final IdempotencyStore store;
  private final Duration interval;
  private volatile boolean tableFound;
  private volatile boolean tableMissing;

  CleanUp(IdempotencyStore store, Duration interval) {
    super("idempotency-cleaner", "holdfast-idempotency-cleaner", SHUTDOWN_TIMEOUT);
    this.store = store;
    this.interval = Require.between(interval, Duration.ofMillis(1), Duration.ofDays(1), "interval");
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

  @Override
  protected Duration firstPause() {
    return pause();
  }

  @Override
  protected Map<String, String> details() {
    return tableMissing ? Map.of("table", "missing") : Map.of();
  }

  @Override
  protected Duration repeat() {
    try {
      int removed = 0;
      int batch;
      do {
        batch = store.cleanUp(BATCH);
        removed += batch;
      } while (batch == BATCH && mayGoOn());
      if (removed > 0) {
        LOG.debug("deleted {} expired idempotency records", removed);
      }
      tableFound = true;
      tableMissing = false;
      succeeded();
    } catch (RuntimeException | Error e) {
      if (isTableMissing(e)) {
        withoutTable();
      } else {
        afterFailure(e);
      }
    }
    return pause();
  }

  /** Only a table that was never there: one that is gone later is a failure. */
  private boolean isTableMissing(Throwable failure) {
    return !tableFound
        && failure instanceof SqlFailedException failed
        && failed.error() == SqlError.MISSING_OBJECT;
  }

  private void withoutTable() {
    if (!tableMissing) {
      LOG.info("this instance deletes no idempotency records, because there is no table of them");
    }
    tableMissing = true;
    succeeded();
  }

  private void afterFailure(Throwable failure) {
    if (failed("cleanup-failed", "expired records could not be deleted: " + failure)) {
      LOG.warn(
          "deleting expired idempotency records failed and is tried again: {}", failure.toString());
    }
  }

  /** Instances that were started together do not come together. */
  private Duration pause() {
    long nanos = interval.toNanos();
    return Duration.ofNanos(ThreadLocalRandom.current().nextLong(nanos / 2, nanos + 1));
  }
}
