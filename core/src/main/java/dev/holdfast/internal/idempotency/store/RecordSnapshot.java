package dev.holdfast.internal.idempotency.store;

import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.IdempotencyRecord.StoredResult;
import dev.holdfast.idempotency.spi.IdempotencyStore.ClaimResult;
import dev.holdfast.idempotency.spi.IdempotencyStore.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A record as it was read.
 *
 * @param leaseUntil in microseconds since 1970; null for the record of a transaction
 * @param now the clock of the database, likewise
 * @param expired whether its retention is over and it may be deleted
 */
record RecordSnapshot(
    UUID ownerId,
    boolean completed,
    boolean released,
    Fingerprint fingerprint,
    @Nullable StoredResult result,
    Instant startedAt,
    @Nullable Long leaseUntil,
    long now,
    int attempts,
    List<Step> steps,
    boolean isWorkflow,
    boolean expired) {
  /** A completed record of which only the result was read. */
  static RecordSnapshot completed(UUID ownerId, Fingerprint fingerprint, StoredResult result) {
    return new RecordSnapshot(
        ownerId,
        true,
        false,
        fingerprint,
        result,
        Instant.EPOCH,
        null,
        0,
        1,
        List.of(),
        false,
        false);
  }

  /** Whether an attempt owns its lease. */
  boolean hasOwner() {
    return !completed && !released && leaseUntil != null && leaseUntil > now;
  }

  /** The result of a claim with this fingerprint; null if the lease can be taken over. */
  @Nullable ClaimResult result(Fingerprint requested) {
    if (!fingerprint.equals(requested)) {
      return new ClaimResult.KeyReused();
    }
    if (completed && result != null) {
      return new ClaimResult.Completed(result, ownerId);
    }
    if (leaseUntil == null) {
      return new ClaimResult.Incomplete();
    }
    return hasOwner()
        ? new ClaimResult.InProgress(startedAt, Duration.ofNanos((leaseUntil - now) * 1000))
        : null;
  }
}
