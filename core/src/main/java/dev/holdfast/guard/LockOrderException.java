package dev.holdfast.guard;

import java.lang.StackWalker.StackFrame;

/**
 * Two calls of one transaction lock rows against the lock order, so that such transactions can
 * deadlock. Found the first time that it happens, not only when two transactions collide.
 */
public final class LockOrderException extends GuardException {
  private static final long serialVersionUID = 1L;

  private final String held;
  private final String lockedAt;
  private final String requested;
  private final String requestedAt;

  LockOrderException(String held, StackFrame lockedAt, String requested, StackFrame requestedAt) {
    super(
        "guard-lock-order",
        "Rows must be locked in one order, by the name of the table and then by one key, otherwise"
            + " transactions deadlock. "
            + requested
            + " was requested at "
            + requestedAt.toStackTraceElement()
            + ", after "
            + held
            + " was locked at "
            + lockedAt.toStackTraceElement()
            + ". Lock them in one call, or change the order of the calls.",
        null);
    this.held = held;
    this.lockedAt = lockedAt.toStackTraceElement().toString();
    this.requested = requested;
    this.requestedAt = requestedAt.toStackTraceElement().toString();
  }

  /** The row that the transaction holds, such as {@code 'orders' {id=7}}. */
  public String held() {
    return held;
  }

  /** The class, method and line that locked the held row. */
  public String lockedAt() {
    return lockedAt;
  }

  /** The row that should have been locked before. */
  public String requested() {
    return requested;
  }

  /** The class, method and line that requested it. */
  public String requestedAt() {
    return requestedAt;
  }
}
