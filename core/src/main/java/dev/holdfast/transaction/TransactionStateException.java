package dev.holdfast.transaction;

import dev.holdfast.HoldfastException;
import dev.holdfast.internal.Require;
import java.util.Locale;

/**
 * The call is not allowed in the current state of the transaction. Unless the reason is {@link
 * Reason#ENDED}, nothing was done. Never retried.
 */
public final class TransactionStateException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private final Reason reason;

  /** What is wrong; its code is {@code transaction-} and the name. */
  public enum Reason {
    /** The call needs a current transaction. */
    REQUIRED,
    /** The call must not be made inside a transaction. */
    ACTIVE,
    /** A transaction is active, but not one that the call can join. */
    MISMATCH,
    /** The call writes, and the current transaction is read-only. */
    READ_ONLY,
    /** The current transaction has another isolation level than the call requires. */
    ISOLATION,
    /**
     * The transaction has ended, or the work ended it itself by turning autocommit on. In the
     * second case, what the work did before is committed.
     */
    ENDED
  }

  public TransactionStateException(Reason reason, String message) {
    super(
        "transaction-"
            + Require.notNull(reason, "reason").name().toLowerCase(Locale.ROOT).replace('_', '-'),
        message,
        null);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }

  static TransactionStateException required(String what) {
    return new TransactionStateException(
        Reason.REQUIRED,
        what
            + " needs a current transaction, but there is none on this thread: call it inside"
            + " holdfast.transactions().run(…), or inside a transaction of the framework on the"
            + " same data source (is @Transactional missing, or is the method called from its own"
            + " class?)");
  }

  static TransactionStateException active(String what) {
    return new TransactionStateException(
        Reason.ACTIVE,
        what
            + " must not be called inside a transaction, but one is open on this thread; call it"
            + " before the transaction begins or after it has ended");
  }

  static TransactionStateException readOnly(String what) {
    return new TransactionStateException(
        Reason.READ_ONLY,
        what
            + " writes, but the current transaction is read-only; make it writable, or open another"
            + " one with transactions().requiresNew()");
  }

  static TransactionStateException ended(String what) {
    return new TransactionStateException(
        Reason.ENDED,
        what
            + " must run in an open transaction, but the transaction has ended; use tx only inside"
            + " the work that it was passed to");
  }

  static TransactionStateException endedByAutocommit(String what) {
    return new TransactionStateException(
        Reason.ENDED,
        what
            + " must run in a transaction, but its connection is in autocommit mode: other code has"
            + " ended the transaction; call setAutoCommit(false) and Transaction.of again");
  }

  static TransactionStateException committedByAutocommit() {
    return new TransactionStateException(
        Reason.ENDED,
        "The work turned autocommit on, which committed what it had done, and then each later"
            + " statement by itself. Only Holdfast may end this transaction: do not call commit(),"
            + " rollback() or setAutoCommit(…) of tx.connection()");
  }
}
