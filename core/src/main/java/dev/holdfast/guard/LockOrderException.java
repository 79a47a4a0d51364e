package dev.holdfast.guard;

import dev.holdfast.HoldfastException;
import java.lang.StackWalker.StackFrame;

/**
 * Two calls of one transaction that lock rows against the one order, so that transactions which do
 * so can deadlock. A mistake in the program, found the first time that it happens and not only when
 * two collide. Not retryable; the transaction must be rolled back.
 */
public final class LockOrderException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private final String held;
  private final String heldBy;
  private final String asked;
  private final String askedBy;

  LockOrderException(String held, StackFrame heldBy, String asked, StackFrame askedBy) {
    super(
        "lock-order",
        "rows must be locked in one order, by the name of the table and then by one key, or"
            + " transactions deadlock: "
            + asked
            + " was asked for at "
            + askedBy.toStackTraceElement()
            + ", after "
            + held
            + " was locked at "
            + heldBy.toStackTraceElement()
            + "; lock them in one call, or change the order of the calls",
        null);
    this.held = held;
    this.heldBy = heldBy.toStackTraceElement().toString();
    this.asked = asked;
    this.askedBy = askedBy.toStackTraceElement().toString();
  }

  /** The row that the transaction holds, such as {@code 'orders' {id=7}}. */
  public String held() {
    return held;
  }

  /** The class, method and line that has locked the row which is held. */
  public String heldBy() {
    return heldBy;
  }

  /** The row that comes before the one which is held. */
  public String asked() {
    return asked;
  }

  /** The class, method and line that has asked for it. */
  public String askedBy() {
    return askedBy;
  }
}
