package dev.holdfast.idempotency.spi;

import dev.holdfast.idempotency.IdempotencyKey;

/**
 * A request that was begun and has no result yet. For one thread at a time. Not for implementation
 * by users.
 */
public interface OpenRequest {
  IdempotencyKey key();

  /**
   * Stores the result. Duplicates get the same bytes.
   *
   * @throws dev.holdfast.idempotency.ResultTooLargeException if the result is too large and cannot
   *     be left out
   */
  void complete(byte[] result);

  /**
   * Stores the result of a rejection. Duplicates get the same bytes.
   *
   * @throws dev.holdfast.idempotency.ResultTooLargeException if the result is too large
   */
  void reject(byte[] result);

  /**
   * A request whose record is part of an open transaction. It must be completed or rejected before
   * the transaction commits. A rollback removes the record.
   */
  interface InTransaction extends OpenRequest {
    /**
     * As {@link #complete}, but as the last statement of a transaction of {@link
     * dev.holdfast.transaction.Transactions}, which saves a round trip: the result is written when
     * the work has returned. If that fails, nothing is committed and the caller of the transaction
     * gets the failure. In any other transaction the result is written at once.
     *
     * @return whether the result is written by the commit, whose outcome is then also that of the
     *     request
     */
    boolean completeOnCommit(byte[] result);

    /**
     * Whether the result is committed. To be asked after the transaction has ended, on a connection
     * of its own: a framework may commit and fail afterwards, and may report a commit as successful
     * although the database rolled back because of a swallowed failure.
     */
    boolean isCommitted();
  }

  /** A request whose lease is renewed until it is completed, rejected, released or abandoned. */
  interface Leased extends OpenRequest {
    /**
     * Completes the request without its result, which was too large to be held in memory.
     * Duplicates get a {@link dev.holdfast.idempotency.ResultTooLargeException}.
     *
     * @param size the size of the result in bytes
     */
    void completeTooLarge(long size);

    /**
     * Releases the lease without a result. The next attempt continues at once. If a step whose
     * commit outcome is unknown is still open, this fails and the lease expires.
     *
     * @return whether the lease was still held
     */
    boolean release();

    /**
     * Stops the renewal without a release, if the work may still be running. The lease expires, and
     * then the next attempt continues.
     */
    void abandon();
  }
}
