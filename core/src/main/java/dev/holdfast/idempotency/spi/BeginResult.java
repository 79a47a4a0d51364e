package dev.holdfast.idempotency.spi;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The result of beginning a request whose work is not a callback.
 *
 * @param <R> the type of an open request
 */
public sealed interface BeginResult<R extends OpenRequest> {
  /** The request is new: do its work, then complete or reject it. */
  record Open<R extends OpenRequest>(R request) implements BeginResult<R> {}

  /**
   * An earlier request with this key was completed.
   *
   * @param result the stored result
   * @param rejected whether the result is that of a rejection
   */
  @SuppressWarnings("ArrayRecordComponent") // each is equal to itself only
  record Replayed<R extends OpenRequest>(byte[] result, boolean rejected)
      implements BeginResult<R> {
    @Override
    public boolean equals(Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }

    @Override
    public String toString() {
      return "Replayed[" + result.length + " bytes" + (rejected ? ", rejected]" : "]");
    }
  }

  /**
   * Another request with this key is in progress.
   *
   * @param startedAt when it was started, by the clock of the store; empty if only its transaction
   *     knows
   * @param retryAfter when a retry makes sense
   */
  record InProgress<R extends OpenRequest>(Optional<Instant> startedAt, Duration retryAfter)
      implements BeginResult<R> {}

  /** The key was used with another payload. */
  record KeyReused<R extends OpenRequest>() implements BeginResult<R> {}
}
