package dev.holdfast.idempotency;

import dev.holdfast.idempotency.TransactionalIdempotencyStore.Answering;
import dev.holdfast.internal.Require;
import dev.holdfast.sql.Transaction;

/**
 * A record that is a part of an open transaction and has no answer yet. It needs one before the
 * transaction is committed; with a rollback it is gone. For one thread at a time, as its
 * transaction.
 */
public final class OpenRecord {
  private final TransactionalIdempotencyStore store;
  private final Replies replies;
  private final Transaction tx;
  private final Answering answering;

  OpenRecord(
      TransactionalIdempotencyStore store, Replies replies, Transaction tx, Answering answering) {
    this.store = store;
    this.replies = replies;
    this.tx = tx;
    this.answering = answering;
  }

  public IdempotencyKey key() {
    return answering.key();
  }

  /**
   * Writes the answer, as a part of the transaction.
   *
   * @throws ReplyTooLargeException where it is too large to be kept; roll back
   */
  public void complete(byte[] reply) {
    Require.notNull(reply, "reply");
    write(replies.answer(key(), reply.clone()));
  }

  /**
   * As {@link #complete}, but as the last statement of a transaction of {@link
   * dev.holdfast.sql.Transactions}, which saves a round trip: it is written when the work has
   * returned, and where that fails, nothing is committed, and whoever runs the transaction is told.
   * In a transaction of somebody else's it is written at once.
   *
   * @return whether it is written with the commit, which then tells for certain what became of it
   * @throws ReplyTooLargeException where it is too large to be kept; roll back
   */
  public boolean completeLast(byte[] reply) {
    Require.notNull(reply, "reply");
    return writeLast(replies.answer(key(), reply.clone()));
  }

  /**
   * Whether the answer that was written is committed. Asked when the transaction has ended, on a
   * connection of its own: the end of somebody else's transaction may tell otherwise. A framework
   * may commit, and fail after that; and a commit that was rolled back, because of a failure that
   * somebody has caught, may be told as a success.
   */
  public boolean isCommitted() {
    return store.isAnswered(answering);
  }

  /** Writes that it was refused: what the transaction has changed otherwise is committed too. */
  public void refuse(byte[] reply) {
    write(replies.refusal(key(), new RefusedException(reply)));
  }

  void write(StoredReply reply) {
    tx.requireCommittable();
    if (!store.complete(tx, answering, reply)) {
      IncompleteRecordException gone = gone();
      tx.mustRollBack(gone);
      throw gone;
    }
  }

  boolean writeLast(StoredReply reply) {
    tx.requireCommittable();
    return store.completeLast(tx, answering, reply, this::gone);
  }

  private IncompleteRecordException gone() {
    return new IncompleteRecordException(
        answering.key(),
        "is not in this transaction any more, or has its answer already; roll back");
  }
}
