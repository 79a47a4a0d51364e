package dev.holdfast.idempotency;

import dev.holdfast.BackgroundService;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.TransactionCallback;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Executes requests once, with the record in the same transaction as their changes.
 *
 * <pre>{@code
 * IdempotencyResult<Long> order = holdfast.idempotency().execute(
 *     IdempotencyRequest.of("POST /orders", key, Long.class).principal(user).fingerprint(body),
 *     tx -> orders.create(tx, request));
 * }</pre>
 *
 * <p><b>Guarantees:</b> the uncommitted record marks a request as in progress. A crash frees the
 * key at once, and a rollback leaves neither a record nor a change. If the work throws, everything
 * is rolled back and the key may be used again; only a {@link RejectedException} is recorded. This
 * costs two statements, no further commit and no further connection.
 *
 * <p><b>Does not guarantee</b> anything about effects outside of the database. Use workflows for
 * them.
 *
 * <p><b>Defaults:</b> see {@link IdempotencyOptions.Builder}.
 *
 * <p>Thread-safe. Not for implementation by users.
 */
public interface Idempotency {
  /** The result of {@link #delete}. */
  enum DeleteResult {
    /** The record is deleted. The next request with its key is executed. */
    DELETED,

    /** An attempt works on the request. Nothing was deleted. */
    IN_PROGRESS,

    /** There is no record. */
    NOT_FOUND
  }

  /** The options that it was built with. */
  IdempotencyOptions options();

  /**
   * Executes {@code work}, unless the request took effect before. The record is committed with the
   * changes.
   *
   * <p>In a current transaction it is a part of that, as {@link #execute(Transaction,
   * IdempotencyRequest, TransactionCallback)}: rejections are not recorded, because its owner rolls
   * back. Otherwise it opens a new transaction. If the response to the commit is lost, the record
   * shows whether it happened.
   *
   * @throws RejectedException if the work rejects the request, or has rejected it before
   * @throws ResultTooLargeException if the result is too large; nothing took effect
   */
  <T extends @Nullable Object, X extends Exception> IdempotencyResult<T> execute(
      IdempotencyRequest<T> request, TransactionCallback<T, X> work) throws X;

  /**
   * As {@link #execute(IdempotencyRequest, TransactionCallback)}, as part of a transaction. Its
   * owner commits it, and must roll it back if this throws. Rejections are not recorded.
   */
  <T extends @Nullable Object, X extends Exception> IdempotencyResult<T> execute(
      Transaction tx, IdempotencyRequest<T> request, TransactionCallback<T, X> work) throws X;

  /** The record of a key. Requests whose transaction is running are not visible. */
  Optional<IdempotencyRecord> find(IdempotencyKey key);

  /**
   * Deletes the record of a key, unless its request is in progress. On H2, a request whose
   * transaction is running is {@code NOT_FOUND}.
   */
  DeleteResult delete(IdempotencyKey key);

  /**
   * Deletes all records whose retention is over, in batches.
   *
   * @return how many records were deleted
   */
  int deleteExpired();

  /**
   * Builds a service that deletes expired records, for instances without a worker: a worker does it
   * by itself. It runs about every 10 minutes. Every instance may run one.
   *
   * <p>Issue in its health: {@code idempotency-cleanup-failed}. If the table does not exist, it
   * goes on looking for it, which is no issue.
   */
  BackgroundService cleaner();

  /** As {@link #cleaner()}, at this interval, from 1 ms to 1 day. */
  BackgroundService cleaner(Duration interval);
}
