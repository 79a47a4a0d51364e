package dev.holdfast.internal.idempotency;

import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.spi.IdempotencyStore;
import dev.holdfast.transaction.Transaction;
import java.time.Duration;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A store whose records can be written in the transaction of the business change: the uncommitted
 * row marks the request as in progress. Thread-safe.
 */
public interface TransactionalIdempotencyStore extends IdempotencyStore {
  /**
   * Describes the start of a request.
   *
   * @param ownerId the id of the attempt
   * @param retention how long the record is kept, from now on
   * @param waitTimeout how long to wait for another transaction with this key; zero for no wait
   */
  record StartRequest(
      IdempotencyKey key,
      Fingerprint fingerprint,
      UUID ownerId,
      Duration retention,
      Duration waitTimeout) {}

  /**
   * Inserts the record in the transaction, without a result. {@code Granted} if the transaction
   * owns it now.
   *
   * @param own whether the transaction may be lost: then {@code InProgress} may leave it unusable,
   *     and it must be rolled back after any other result than {@code Granted}
   * @throws dev.holdfast.transaction.DatabaseException if the database rejects it; a retryable
   *     failure leaves the transaction unusable
   */
  ClaimResult begin(Transaction tx, StartRequest request, boolean own);

  /**
   * The result of a request that is completed; null if it is not, or if its retention is over.
   *
   * @param tx a new transaction of Holdfast in which nothing was done. It is begun again if there
   *     is no result, and must be rolled back otherwise
   */
  @Nullable ClaimResult completed(Transaction tx, IdempotencyKey key, Fingerprint fingerprint);

  /**
   * Describes the completion of a request.
   *
   * @param ownerId the attempt that has started it
   * @param retention how long the record is kept: from its start on, but at least half as long
   *     after its result
   */
  record CompletionRequest(IdempotencyKey key, UUID ownerId, Duration retention) {}

  /**
   * Writes the result into the record that this attempt has inserted in the transaction.
   *
   * @return whether the record was there
   */
  boolean complete(Transaction tx, CompletionRequest request, StoredResult result);

  /**
   * As {@link #complete(Transaction, CompletionRequest, StoredResult)}, after the work of a
   * transaction of Transactions has returned: together with the commit, in one round trip if the
   * database can. In any other transaction at once. If the record is not there, {@code missing} is
   * thrown and nothing is committed.
   *
   * @return whether it is written with the commit
   */
  boolean completeOnCommit(
      Transaction tx,
      CompletionRequest request,
      StoredResult result,
      Supplier<? extends RuntimeException> missing);

  /** Whether the result of this attempt is committed. Not to be called in its transaction. */
  boolean isCompleted(CompletionRequest request);

  /** The result of a {@link #lock}. */
  enum LockResult {
    /** The transaction can record a step whatever others commit in between. */
    NOT_NEEDED,

    /** Until the transaction ends, the record cannot be changed by others, nor renewed. */
    LOCKED,

    /** The attempt does not own the lease any more. */
    LOST
  }

  /**
   * Locks the record of a lease, if the transaction reads a snapshot of its start and therefore
   * could not record a step after a renewal that is committed in between.
   *
   * @throws dev.holdfast.transaction.DatabaseException a retryable one if the record was changed
   *     just now; nothing was done
   */
  LockResult lock(Transaction tx, Ownership owner);

  /**
   * As {@link #record(Ownership, Step, Duration)}, in the transaction: the step and the changes of
   * the transaction are committed together. Does not extend the lease: the clock of a transaction
   * may stand still.
   */
  boolean record(Transaction tx, Ownership owner, Step step);
}
