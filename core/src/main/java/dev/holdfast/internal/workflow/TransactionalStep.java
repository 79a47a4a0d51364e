package dev.holdfast.internal.workflow;

import dev.holdfast.idempotency.spi.IdempotencyStore.Ownership;
import dev.holdfast.idempotency.spi.IdempotencyStore.Step;
import dev.holdfast.internal.idempotency.store.SqlIdempotencyStore;
import dev.holdfast.internal.idempotency.store.SqlIdempotencyStore.LockResult;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.TransactionCallback;
import dev.holdfast.transaction.Transactions;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs the work of a step and records it in one transaction. The record is written at the end, so
 * that its row is locked only for the commit, and can be renewed until then.
 *
 * <p>If the transaction reads a snapshot of its start, such a renewal would make the record fail.
 * Then the row is locked first and not renewed until the transaction has ended: the work must
 * complete before the lease expires.
 */
final class TransactionalStep {
  private static final int MAX_STARTS = 5;

  private final Transactions transactions;
  private final SqlIdempotencyStore store;
  private final Ownership owner;
  private final LeaseRenewal renewal;

  private boolean locking;

  TransactionalStep(
      Transactions transactions, SqlIdempotencyStore store, Ownership owner, LeaseRenewal renewal) {
    // a step is committed by itself, whatever transaction it is run in
    this.transactions = transactions.requiresNew();
    this.store = store;
    this.owner = owner;
    this.renewal = renewal;
  }

  /**
   * @param step makes the record of a result
   * @param lost makes the exception for a lost lease, from what could not be done
   */
  <T extends @Nullable Object, X extends Exception> T run(
      TransactionCallback<T, X> work,
      Function<? super T, Step> step,
      Function<String, RuntimeException> lost)
      throws X {
    for (int starts = 1; ; starts++) {
      try {
        return transactions.call(
            tx -> {
              lock(tx, lost);
              T result = work.in(tx);
              Step done = step.apply(result);
              if (!store.record(tx, owner, done)) {
                throw lost.apply("record the step '" + done.name() + "'");
              }
              return result;
            });
      } catch (DatabaseException e) {
        // a renewal was in flight when the row was to be locked
        if (!locking || starts == MAX_STARTS || !e.isRetryable()) {
          throw e;
        }
      } finally {
        renewal.pause(false);
      }
    }
  }

  private void lock(Transaction tx, Function<String, RuntimeException> lost) {
    locking = true;
    LockResult result = store.lock(tx, owner);
    locking = false;
    if (result == LockResult.LOST) {
      throw lost.apply("start a step");
    }
    if (result == LockResult.LOCKED) {
      renewal.pause(true);
    }
  }
}
