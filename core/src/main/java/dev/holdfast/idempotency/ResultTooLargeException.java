package dev.holdfast.idempotency;

import dev.holdfast.HoldfastException;

/** A result, a step or an input is larger than what may be stored. */
public final class ResultTooLargeException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private final boolean effective;

  public ResultTooLargeException(String message, boolean effective) {
    super("idempotency-result-too-large", message, null);
    this.effective = effective;
  }

  /** Whether the work took effect nevertheless. */
  public boolean isEffective() {
    return effective;
  }
}
