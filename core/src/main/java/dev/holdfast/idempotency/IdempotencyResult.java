package dev.holdfast.idempotency;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The result of a request that must take effect once. */
public sealed interface IdempotencyResult<T extends @Nullable Object> {
  /** The work was executed now and took effect. */
  record Executed<T extends @Nullable Object>(T value) implements IdempotencyResult<T> {}

  /** An earlier request with this key took effect. The value is its result. */
  record Replayed<T extends @Nullable Object>(T value) implements IdempotencyResult<T> {}

  /**
   * Another request with this key is in progress. Nothing was done.
   *
   * @param startedAt when it was started, by the clock of the store; empty if only its transaction
   *     knows
   * @param retryAfter when a retry makes sense
   */
  record InProgress<T extends @Nullable Object>(Optional<Instant> startedAt, Duration retryAfter)
      implements IdempotencyResult<T> {}

  /** The key was used with another payload. Nothing was done. */
  record KeyReused<T extends @Nullable Object>() implements IdempotencyResult<T> {}

  /**
   * The value, executed now or replayed.
   *
   * @throws RequestInProgressException if another request with this key is in progress
   * @throws KeyReusedException if the key was used with another payload
   */
  default T orElseThrow() {
    if (this instanceof Executed<T> executed) {
      return executed.value();
    }
    if (this instanceof Replayed<T> replayed) {
      return replayed.value();
    }
    if (this instanceof InProgress<T> progress) {
      throw new RequestInProgressException(progress.startedAt(), progress.retryAfter());
    }
    throw new KeyReusedException();
  }
}
