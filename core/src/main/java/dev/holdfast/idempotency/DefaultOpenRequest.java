package dev.holdfast.idempotency;

import dev.holdfast.idempotency.spi.IdempotencyStore.StoredResult;
import dev.holdfast.idempotency.spi.OpenRequest;
import dev.holdfast.internal.Require;
import dev.holdfast.internal.idempotency.ResultEncoder;
import dev.holdfast.internal.idempotency.TransactionalIdempotencyStore;
import dev.holdfast.internal.idempotency.TransactionalIdempotencyStore.CompletionRequest;
import dev.holdfast.transaction.Transaction;

/** The record of a request that was inserted by a transaction and has no result yet. */
final class DefaultOpenRequest implements OpenRequest.InTransaction {
  private final TransactionalIdempotencyStore store;
  private final ResultEncoder results;
  private final Transaction tx;
  private final CompletionRequest completion;

  DefaultOpenRequest(
      TransactionalIdempotencyStore store,
      ResultEncoder results,
      Transaction tx,
      CompletionRequest completion) {
    this.store = store;
    this.results = results;
    this.tx = tx;
    this.completion = completion;
  }

  @Override
  public IdempotencyKey key() {
    return completion.key();
  }

  @Override
  public void complete(byte[] result) {
    Require.notNull(result, "result");
    write(results.encode(key(), result.clone()));
  }

  @Override
  public boolean completeOnCommit(byte[] result) {
    Require.notNull(result, "result");
    return writeOnCommit(results.encode(key(), result.clone()));
  }

  @Override
  public boolean isCommitted() {
    return store.isCompleted(completion);
  }

  /** The other changes of the transaction are committed too. */
  @Override
  public void reject(byte[] result) {
    write(results.encodeRejection(key(), new RejectedException(result)));
  }

  void write(StoredResult result) {
    tx.requireCommittable();
    if (!store.complete(tx, completion, result)) {
      IncompleteRecordException missing = missing();
      tx.setRollbackOnly(missing);
      throw missing;
    }
  }

  boolean writeOnCommit(StoredResult result) {
    tx.requireCommittable();
    return store.completeOnCommit(tx, completion, result, this::missing);
  }

  private IncompleteRecordException missing() {
    return new IncompleteRecordException(
        completion.key(),
        "is not in this transaction any more, or already has its result. Roll back the"
            + " transaction.");
  }
}
