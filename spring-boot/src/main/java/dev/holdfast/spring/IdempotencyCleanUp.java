package dev.holdfast.spring;

import dev.holdfast.idempotency.CleanUp;
import dev.holdfast.idempotency.Idempotency;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.sql.SqlError;
import dev.holdfast.sql.SqlFailedException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Removes idempotency records whose time is over, from the start of an application to its stop.
 *
 * <p>It is not started where the pause is zero, nor where the table is not there, which may be so
 * where nobody validates it. Thread-safe.
 */
final class IdempotencyCleanUp implements SmartLifecycle {
  private static final Logger LOG = LoggerFactory.getLogger(IdempotencyCleanUp.class);
  private static final IdempotencyKey NOBODYS = IdempotencyKey.of("holdfast", "is the table there");

  private final Idempotency idempotency;
  private final Duration pause;
  private @Nullable CleanUp running;

  IdempotencyCleanUp(Idempotency idempotency, Duration pause) {
    this.idempotency = idempotency;
    this.pause = pause;
  }

  @Override
  public synchronized void start() {
    if (running == null && !pause.isZero() && hasTable()) {
      running = idempotency.cleanUpEvery(pause);
    }
  }

  private boolean hasTable() {
    try {
      idempotency.find(NOBODYS);
    } catch (SqlFailedException e) {
      if (e.error() == SqlError.MISSING_OBJECT) {
        LOG.info("idempotency records are not cleaned up, because there is no table of them");
        return false;
      }
      LOG.warn("whether there are idempotency records could not be found out", e);
    }
    return true;
  }

  @Override
  public synchronized void stop() {
    if (running != null) {
      running.close();
      running = null;
    }
  }

  @Override
  public synchronized boolean isRunning() {
    return running != null;
  }
}
