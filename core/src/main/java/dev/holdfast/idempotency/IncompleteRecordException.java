package dev.holdfast.idempotency;

import dev.holdfast.HoldfastException;

/**
 * The record of an idempotency key has no result that can be replayed, and its request is not in
 * progress. Nothing was done.
 */
public final class IncompleteRecordException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  /**
   * @param reason completes the sentence "The record of … "
   */
  public IncompleteRecordException(IdempotencyKey key, String reason) {
    super("idempotency-incomplete", "The record of " + key + " " + reason, null);
  }
}
