package dev.holdfast.idempotency;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What became of a request that must take effect once: it was executed, or replayed, or is in
 * progress elsewhere, or its key was used with another payload.
 */
public sealed interface OnceResult<T extends @Nullable Object> {
  /** It took effect now. */
  record Executed<T extends @Nullable Object>(T reply) implements OnceResult<T> {}

  /** It had taken effect before; this is what was answered then. */
  record Replayed<T extends @Nullable Object>(T reply) implements OnceResult<T> {}

  /**
   * Another one with this key is at work; nothing was done.
   *
   * @param since when that began, by the clock of the store; null where only its transaction knows
   * @param retryAfter when it is worth to ask again
   */
  record InProgress<T extends @Nullable Object>(@Nullable Instant since, Duration retryAfter)
      implements OnceResult<T> {}

  /** The key was used with another payload; nothing was done. */
  record Mismatch<T extends @Nullable Object>() implements OnceResult<T> {}

  /**
   * The answer, whether it is new or not.
   *
   * @throws InProgressException where another one is at work
   * @throws KeyMismatchException where the key was used with another payload
   */
  default T orThrow() {
    if (this instanceof Executed<T> executed) {
      return executed.reply();
    }
    if (this instanceof Replayed<T> replayed) {
      return replayed.reply();
    }
    if (this instanceof InProgress<T> progress) {
      throw new InProgressException(progress.since(), progress.retryAfter());
    }
    throw new KeyMismatchException();
  }
}
