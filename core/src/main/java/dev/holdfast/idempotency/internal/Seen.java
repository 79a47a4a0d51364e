package dev.holdfast.idempotency.internal;

import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.IdempotencyStore.Claimed;
import dev.holdfast.idempotency.IdempotencyStore.Step;
import dev.holdfast.idempotency.StoredReply;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A record as it was at one moment.
 *
 * @param leasedUntil in microseconds since 1970; null for the record of a transaction
 * @param now the clock of the database, likewise
 * @param expired whether its retention is over, and nobody needs it
 */
record Seen(
    UUID attempt,
    boolean done,
    boolean released,
    Fingerprint fingerprint,
    @Nullable StoredReply reply,
    Instant since,
    @Nullable Long leasedUntil,
    long now,
    int attempts,
    List<Step> steps,
    boolean ofFlow,
    boolean expired) {
  /** One of which only the answer matters. */
  static Seen answered(UUID attempt, Fingerprint fingerprint, StoredReply reply) {
    return new Seen(
        attempt,
        true,
        false,
        fingerprint,
        reply,
        Instant.EPOCH,
        null,
        0,
        1,
        List.of(),
        false,
        false);
  }

  /** Whether somebody works on it under a claim. */
  boolean isHeld() {
    return !done && !released && leasedUntil != null && leasedUntil > now;
  }

  /** What whoever asks with this fingerprint is told, or null where the claim can be taken. */
  @Nullable Claimed answer(Fingerprint asked) {
    if (!fingerprint.equals(asked)) {
      return new Claimed.OtherPayload();
    }
    if (done && reply != null) {
      return new Claimed.Done(reply, attempt);
    }
    if (leasedUntil == null) {
      return new Claimed.Unanswered();
    }
    return isHeld() ? new Claimed.Busy(since, Duration.ofNanos((leasedUntil - now) * 1000)) : null;
  }
}
