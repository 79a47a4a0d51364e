package dev.holdfast.idempotency;

import dev.holdfast.HoldfastException;

/**
 * A claim that ran out, so that another one may have taken it over. What this one says is not
 * written any more.
 */
public final class ClaimLostException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private final IdempotencyKey key;

  ClaimLostException(IdempotencyKey key, String doing) {
    super(
        "idempotency-claim-lost",
        doing
            + " was refused: the claim of "
            + key
            + " has run out, and another one may go on with it; raise lease(…) where work is slow",
        null);
    this.key = key;
  }

  public IdempotencyKey key() {
    return key;
  }
}
