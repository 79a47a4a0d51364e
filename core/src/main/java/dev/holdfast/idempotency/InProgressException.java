package dev.holdfast.idempotency;

import dev.holdfast.HoldfastException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Another request with the same key is at work; nothing was done. */
public final class InProgressException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private final @Nullable Instant since;
  private final Duration retryAfter;

  InProgressException(@Nullable Instant since, Duration retryAfter) {
    super(
        "idempotency-in-progress",
        "a request with this idempotency key is in progress"
            + (since == null ? "" : " since " + since)
            + "; ask again after "
            + retryAfter.toMillis() / 1000.0
            + " s",
        null);
    this.since = since;
    this.retryAfter = retryAfter;
  }

  /** When it began, by the clock of the store; null where only its transaction knows. */
  public @Nullable Instant since() {
    return since;
  }

  public Duration retryAfter() {
    return retryAfter;
  }

  @Override
  public boolean retryable() {
    return true;
  }
}
