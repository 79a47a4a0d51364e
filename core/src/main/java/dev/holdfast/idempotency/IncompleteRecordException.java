package dev.holdfast.idempotency;

import dev.holdfast.HoldfastException;

/**
 * A record that is neither in progress nor done, and that whoever asks cannot finish. Nothing was
 * done.
 */
public final class IncompleteRecordException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  IncompleteRecordException(IdempotencyKey key, String why) {
    super("idempotency-incomplete", "the record of " + key + " " + why, null);
  }
}
