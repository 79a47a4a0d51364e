package dev.holdfast.schema;

import dev.holdfast.HoldfastException;
import dev.holdfast.transaction.Backoff;
import dev.holdfast.transaction.Retrying;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The patience of one migrator: short pauses until a deadline, and now and then a line in the log.
 */
final class MigrationWait {
  private static final Logger LOG = LoggerFactory.getLogger(Migrations.class);
  private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(50), Duration.ofMillis(500));
  private static final Duration BETWEEN_LINES = Duration.ofSeconds(10);

  private final TargetSchema schema;
  private final Duration limit;
  private final Retrying.Waiter waiter;
  private final long start;
  private int pauses;
  private @Nullable Duration lastLine;

  MigrationWait(TargetSchema schema, Duration limit, Retrying.Waiter waiter) {
    this.schema = schema;
    this.limit = limit;
    this.waiter = waiter;
    this.start = waiter.nanoTime();
  }

  /**
   * Waits a little.
   *
   * @param reason what failed, or null where another migrator has the lock
   */
  void pause(@Nullable HoldfastException reason) {
    Duration waited = Duration.ofNanos(waiter.nanoTime() - start);
    if (waited.compareTo(limit) >= 0) {
      throw givenUp("was not", reason);
    }
    log(waited, reason);
    pauses++;
    try {
      waiter.pause(
          BACKOFF.afterAttempt(pauses, () -> ThreadLocalRandom.current().nextDouble(0.5, 1)));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw givenUp("this thread was interrupted", reason);
    }
  }

  private void log(Duration waited, @Nullable HoldfastException reason) {
    Duration last = lastLine;
    if (last != null && waited.minus(last).compareTo(BETWEEN_LINES) < 0) {
      return;
    }
    lastLine = waited;
    LOG.info(
        "schema-migration-waiting: cannot migrate schema {} yet; waiting, {} s of at most {} s: {}",
        schema,
        waited.toSeconds(),
        limit.toSeconds(),
        reason == null ? "another instance is migrating it" : reason.getMessage());
  }

  private SchemaException givenUp(String was, @Nullable HoldfastException reason) {
    return new SchemaException(
        SchemaException.Reason.BUSY,
        "the schema %s must become free to migrate within %s, %s: %s"
            .formatted(
                schema,
                limit,
                was,
                reason == null
                    ? "another instance is still migrating it; start again when it is done, or"
                        + " allow more time with within(…)"
                    : reason.getMessage()),
        reason);
  }
}
