package dev.holdfast.idempotency;

import dev.holdfast.idempotency.spi.IdempotencyStore.StoredResult;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The record of an idempotency key, as it was read.
 *
 * @param status the state of the request
 * @param attempts how often the request was started
 * @param startedAt when the request was started for the first time, by the clock of the store
 * @param expiresAt until when the record is kept
 * @param workflow the name of its workflow; empty if it has none
 * @param steps the names of the recorded steps, in their order; empty once the request is completed
 * @param result the stored result; empty until the request is completed
 */
public record IdempotencyRecord(
    IdempotencyKey key,
    Fingerprint fingerprint,
    Status status,
    int attempts,
    Instant startedAt,
    Instant expiresAt,
    Optional<String> workflow,
    List<String> steps,
    Optional<StoredResult> result) {
  /** The state of the request of a record. */
  public enum Status {
    /** An instance has the lease of the request and works on it. */
    IN_PROGRESS,
    /** The request is not completed and no instance has its lease. The next attempt continues. */
    INTERRUPTED,
    /** The request is completed. */
    COMPLETED
  }
}
