package dev.holdfast.idempotency;

import dev.holdfast.sql.Transaction;
import java.time.Duration;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A store whose records can be written in the transaction of the business change: the row of the
 * running transaction is itself the mark that it is in progress. Thread-safe.
 */
public interface TransactionalIdempotencyStore extends IdempotencyStore {
  /**
   * What is begun.
   *
   * @param attempt who begins it
   * @param retention how long its record is kept, from now on
   * @param patience how long to wait for another transaction with this key; zero for not at all
   */
  record Beginning(
      IdempotencyKey key,
      Fingerprint fingerprint,
      UUID attempt,
      Duration retention,
      Duration patience) {}

  /**
   * Writes the record in the transaction, without an answer. {@code Granted} where it is this
   * transaction's now.
   *
   * @param own whether the transaction may be lost by it: then {@code Busy} may leave it unusable,
   *     and it must be rolled back after anything else than {@code Granted}
   * @throws dev.holdfast.sql.SqlFailedException where the database refused it; a retryable one
   *     leaves the transaction unusable
   */
  Claimed begin(Transaction tx, Beginning beginning, boolean own);

  /**
   * What is told of a key that is answered; null where it is not, or its retention is over.
   *
   * @param tx an own transaction in which nothing was done. It is begun again where nothing is
   *     told, and must be rolled back else
   */
  @Nullable Claimed answered(Transaction tx, IdempotencyKey key, Fingerprint fingerprint);

  /**
   * What is answered.
   *
   * @param attempt who has begun it
   * @param retention how long its record is kept: from its beginning on, but after the answer at
   *     least half as long
   */
  record Answering(IdempotencyKey key, UUID attempt, Duration retention) {}

  /**
   * Writes the answer into the record that this attempt has begun in the transaction.
   *
   * @return whether it was there
   */
  boolean complete(Transaction tx, Answering answering, StoredReply reply);

  /**
   * As {@link #complete(Transaction, Answering, StoredReply)}, when the work of a transaction of
   * Transactions has returned, and before it is committed: with the commit, in one round trip where
   * the database can. At once in a transaction of somebody else's. Where the record is not there,
   * {@code gone} is thrown, and nothing is committed.
   *
   * @return whether it is written with the commit
   */
  boolean completeLast(
      Transaction tx,
      Answering answering,
      StoredReply reply,
      Supplier<? extends RuntimeException> gone);

  /** Whether the answer of this attempt is committed; not asked in its transaction. */
  boolean isAnswered(Answering answering);

  /** What became of a {@link #lock}. */
  enum Locked {
    /** The transaction can record a step whatever others commit meanwhile. */
    NOT_NEEDED,

    /** Until it ends, nobody can change the record: it cannot be renewed either. */
    LOCKED,

    /** The claim is not held any more. */
    LOST
  }

  /**
   * Locks the record of a claim, in a transaction that reads as of its beginning and so could not
   * record a step after a renewal that is committed meanwhile.
   *
   * @throws dev.holdfast.sql.SqlFailedException a retryable one where somebody has changed the
   *     record just now; nothing was done
   */
  Locked lock(Transaction tx, Hold hold);

  /**
   * As {@link #record(Hold, Step, Duration)}, in the transaction: the step and what the transaction
   * has changed are committed together. Does not prolong the claim: the clock of a transaction may
   * stand still.
   */
  boolean record(Transaction tx, Hold hold, Step step);
}
