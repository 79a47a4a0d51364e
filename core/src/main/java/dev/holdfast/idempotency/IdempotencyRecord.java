package dev.holdfast.idempotency;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An idempotency record, to look at.
 *
 * @param status what is known of its work
 * @param attempts how often it was begun
 * @param startedAt when it was begun first, by the clock of the store
 * @param keptUntil until when it is kept
 * @param flow the flow that it belongs to, or null
 * @param steps the names of the steps that are recorded, in their order; none any more once it is
 *     done
 * @param reply what was answered, or null
 */
public record IdempotencyRecord(
    IdempotencyKey key,
    Fingerprint fingerprint,
    Status status,
    int attempts,
    Instant startedAt,
    Instant keptUntil,
    @Nullable String flow,
    List<String> steps,
    @Nullable StoredReply reply) {
  /** What is known of the work of a record. */
  public enum Status {
    /** Somebody holds its claim. */
    IN_PROGRESS,
    /** Nobody holds its claim, and it is not done: whoever comes next goes on. */
    ABANDONED,
    /** It is done. */
    DONE
  }
}
