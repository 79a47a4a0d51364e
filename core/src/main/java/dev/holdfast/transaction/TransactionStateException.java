package dev.holdfast.transaction;

import dev.holdfast.HoldfastException;
import dev.holdfast.internal.Require;
import java.util.Locale;

/** A call that does not fit the transaction that the calling thread is in. Nothing was done. */
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
    /** The current transaction has another isolation level than the call asks for. */
    ISOLATION
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
}
