package dev.holdfast.idempotency;

import dev.holdfast.internal.Require;
import dev.holdfast.sql.Transaction;
import java.util.UUID;

/**
 * A record that is a part of an open transaction and has no answer yet. It needs one before the
 * transaction is committed; with a rollback it is gone. For one thread at a time, as its
 * transaction.
 */
public final class OpenRecord {
  private final TransactionalIdempotencyStore store;
  private final Replies replies;
  private final Transaction tx;
  private final IdempotencyKey key;
  private final UUID attempt;

  OpenRecord(
      TransactionalIdempotencyStore store,
      Replies replies,
      Transaction tx,
      IdempotencyKey key,
      UUID attempt) {
    this.store = store;
    this.replies = replies;
    this.tx = tx;
    this.key = key;
    this.attempt = attempt;
  }

  public IdempotencyKey key() {
    return key;
  }

  /**
   * Writes the answer, as a part of the transaction.
   *
   * @throws ReplyTooLargeException where it is too large to be kept; roll back
   */
  public void complete(byte[] reply) {
    Require.notNull(reply, "reply");
    write(replies.answer(key, reply.clone()));
  }

  /** Writes that it was refused: what the transaction has changed otherwise is committed too. */
  public void refuse(byte[] reply) {
    write(replies.refusal(key, new RefusedException(reply)));
  }

  void write(StoredReply reply) {
    boolean written = store.complete(tx, new IdempotencyStore.Hold(key, attempt), reply);
    if (!written) {
      IncompleteRecordException gone =
          new IncompleteRecordException(
              key, "is not in this transaction any more, or has its answer already; roll back");
      tx.mustRollBack(gone);
      throw gone;
    }
  }
}
