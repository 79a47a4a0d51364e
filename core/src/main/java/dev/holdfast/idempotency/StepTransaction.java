package dev.holdfast.idempotency;

import dev.holdfast.idempotency.IdempotencyStore.Hold;
import dev.holdfast.idempotency.IdempotencyStore.Step;
import dev.holdfast.idempotency.TransactionalIdempotencyStore.Locked;
import dev.holdfast.sql.SqlFailedException;
import dev.holdfast.sql.Transaction;
import dev.holdfast.sql.Transactions;
import dev.holdfast.sql.Work;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs the work of a step and records it in one transaction: the record is written at the end, so
 * that its row is locked no longer than the commit takes, and can be renewed meanwhile.
 *
 * <p>Where the transaction reads as of its beginning, such a renewal would keep it from recording
 * anything. There the row is locked first, and not renewed until the transaction has ended: then
 * the work has to be done before the claim runs out.
 */
final class StepTransaction {
  private static final int MOST_BEGINNINGS = 5;

  private final Transactions transactions;
  private final TransactionalIdempotencyStore store;
  private final Hold hold;
  private final Holding holding;

  private boolean locking;

  StepTransaction(
      Transactions transactions, TransactionalIdempotencyStore store, Hold hold, Holding holding) {
    // a step is committed by itself, whatever transaction it is run in
    this.transactions = transactions.requiresNew();
    this.store = store;
    this.hold = hold;
    this.holding = holding;
  }

  /**
   * @param step what is recorded of an answer
   * @param lost what is thrown where the claim is not held any more
   */
  <T extends @Nullable Object, X extends Exception> T run(
      Work<T, X> work, Function<? super T, Step> step, Function<String, RuntimeException> lost)
      throws X {
    for (int beginnings = 1; ; beginnings++) {
      try {
        return transactions.call(
            tx -> {
              lock(tx, lost);
              T answer = work.in(tx);
              Step done = step.apply(answer);
              if (!store.record(tx, hold, done)) {
                throw lost.apply("recording the step '" + done.name() + "'");
              }
              return answer;
            });
      } catch (SqlFailedException e) {
        // a renewal was under way when the row was to be locked
        if (!locking || beginnings == MOST_BEGINNINGS || !e.retryable()) {
          throw e;
        }
      } finally {
        holding.rest(false);
      }
    }
  }

  private void lock(Transaction tx, Function<String, RuntimeException> lost) {
    locking = true;
    Locked locked = store.lock(tx, hold);
    locking = false;
    if (locked == Locked.LOST) {
      throw lost.apply("beginning a step");
    }
    if (locked == Locked.LOCKED) {
      holding.rest(true);
    }
  }
}
