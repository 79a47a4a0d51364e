package dev.holdfast.internal.event.store;

import dev.holdfast.HoldfastException;
import dev.holdfast.event.QueueLimit;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;

/**
 * A claim that could not lock the row of a limit in time, because another session holds it. Nothing
 * was claimed. Retryable: a worker tries again by itself.
 */
public final class LimitLockedException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  LimitLockedException(QueueLimit limit, Duration waited, SQLException cause) {
    super(
        "event-limit-locked",
        "waiting for the row lock of the limit of "
            + limit.target().kind().name().toLowerCase(Locale.ROOT)
            + " '"
            + limit.target().name()
            + "', held by another session for more than "
            + waited.toMillis()
            + " ms; nothing is claimed under this limit until it is released",
        cause);
  }

  @Override
  public boolean isRetryable() {
    return true;
  }
}
