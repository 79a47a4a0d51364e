package dev.holdfast.idempotency;

import dev.holdfast.HoldfastException;

/** An idempotency key that was used before with another payload; nothing was done. */
public final class KeyMismatchException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  KeyMismatchException() {
    super(
        "idempotency-mismatch",
        "this idempotency key was used before with another payload; a new request needs a new key",
        null);
  }
}
