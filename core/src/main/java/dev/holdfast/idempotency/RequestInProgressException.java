package dev.holdfast.idempotency;

import dev.holdfast.HoldfastException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Another request with the same idempotency key is in progress. Nothing was done. */
public final class RequestInProgressException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private final @Nullable Instant startedAt;
  private final Duration retryAfter;

  RequestInProgressException(Optional<Instant> startedAt, Duration retryAfter) {
    super(
        "idempotency-in-progress",
        "A request with this idempotency key is in progress"
            + startedAt.map(time -> " since " + time).orElse("")
            + ". Retry after "
            + retryAfter.toMillis() / 1000.0
            + " s.",
        null);
    this.startedAt = startedAt.orElse(null);
    this.retryAfter = retryAfter;
  }

  /** When it was started, by the clock of the store; empty if only its transaction knows. */
  public Optional<Instant> startedAt() {
    return Optional.ofNullable(startedAt);
  }

  public Duration retryAfter() {
    return retryAfter;
  }

  @Override
  public boolean isRetryable() {
    return true;
  }
}
