package dev.holdfast.idempotency;

import dev.holdfast.HoldfastException;

/** The idempotency key was used before with another payload. Nothing was done. */
public final class KeyReusedException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  KeyReusedException() {
    super(
        "idempotency-key-reused",
        "This idempotency key was used before with another payload. Use a new key for a new"
            + " request.",
        null);
  }
}
