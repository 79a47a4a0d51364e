package dev.holdfast.internal.idempotency;

import dev.holdfast.idempotency.spi.IdempotencyStore;
import dev.holdfast.internal.RepeatingService;
import dev.holdfast.internal.Require;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.SqlError;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Deletes expired records, in batches, again and again. Thread-safe. */
public final class ExpiredRecordCleaner extends RepeatingService {
  public static final Duration DEFAULT_INTERVAL = Duration.ofMinutes(10);

  private static final Logger LOG = LoggerFactory.getLogger(ExpiredRecordCleaner.class);
  private static final Duration SHUTDOWN_TIMEOUT = Duration.ofSeconds(10);
  private static final int BATCH = 500;

  private final IdempotencyStore store;
  private final Duration interval;
  private volatile boolean tableFound;
  private volatile boolean tableMissing;

  public ExpiredRecordCleaner(IdempotencyStore store, Duration interval) {
    super("idempotency-cleaner", "holdfast-idempotency-cleaner", SHUTDOWN_TIMEOUT);
    this.store = store;
    this.interval =
        Require.between(
            interval, Duration.ofMillis(1), Duration.ofDays(1), "the clean-up interval");
  }

  /** Deletes all expired records now, in batches, and returns how many there were. */
  public static int all(IdempotencyStore store) {
    int removed = 0;
    for (; ; ) {
      int now = store.deleteExpired(BATCH);
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
        batch = store.deleteExpired(BATCH);
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
        && failure instanceof DatabaseException failed
        && failed.error() == SqlError.OBJECT_NOT_FOUND;
  }

  private void withoutTable() {
    if (!tableMissing) {
      LOG.info(
          "idempotency-table-missing: the schema has no table of idempotency records; this instance"
              + " deletes none");
    }
    tableMissing = true;
    succeeded();
  }

  private void afterFailure(Throwable failure) {
    if (failed("idempotency-cleanup-failed", "expired records could not be deleted: " + failure)) {
      LOG.warn(
          "idempotency-cleanup-failed: could not delete expired records; retrying in {}: {}",
          interval,
          failure.toString());
    }
  }

  /** Instances that were started together do not come together. */
  private Duration pause() {
    long nanos = interval.toNanos();
    return Duration.ofNanos(ThreadLocalRandom.current().nextLong(nanos / 2, nanos + 1));
  }
}
