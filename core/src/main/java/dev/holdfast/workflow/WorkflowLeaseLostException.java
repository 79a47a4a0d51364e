package dev.holdfast.workflow;

import dev.holdfast.HoldfastException;
import dev.holdfast.idempotency.IdempotencyKey;

/**
 * The lease of a request has expired, and another attempt may own it now. Nothing was stored by the
 * call that threw this.
 */
public final class WorkflowLeaseLostException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private final IdempotencyKey key;

  WorkflowLeaseLostException(IdempotencyKey key, String action) {
    super(
        "idempotency-lease-lost",
        "Cannot "
            + action
            + ": the lease of request "
            + key
            + " has expired, and another attempt may own it now. Raise leaseDuration(…) if the work"
            + " is slow.",
        null);
    this.key = key;
  }

  public IdempotencyKey key() {
    return key;
  }
}
